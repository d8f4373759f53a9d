/** What Tart prints, read tolerantly: versions differ in fields and types that nobody here needs. Pure. */
import { FleetError } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';

export interface TartEntry {
  readonly source: 'local' | 'oci';
  readonly name: string;
  readonly sizeGb: number;
}

/** `tart list --format json` */
export const parseTartList = (text: string): readonly TartEntry[] => {
  const rows = parseJson(text);
  if (!Array.isArray(rows)) throw garbled('tart list', 'it is no list');
  return rows.map((row: unknown) => {
    if (!isRecord(row) || typeof row['Name'] !== 'string') throw garbled('tart list', 'an entry has no name');
    const source = typeof row['Source'] === 'string' ? row['Source'].toLowerCase() : 'local';
    return { name: row['Name'], source: source === 'oci' ? 'oci' : 'local', sizeGb: parseSize(row['Size']) };
  });
};

/** A number in one version, quoted decimals in another; of nonsense we only lose the size. */
export const parseSize = (value: unknown): number => {
  const size = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof size === 'number' && Number.isFinite(size) && size >= 0 ? size : 0;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw garbled('tart list', 'it is not JSON', cause);
  }
};

export const garbled = (what: string, why: string, cause?: unknown): FleetError =>
  new FleetError('unavailable', {
    code: 'TartGarbled',
    message: `nobody understands what ${what} printed: ${why}`,
    hint: 'Run it on the Mac and look; a version of Tart that we do not know may print something else.',
    cause,
  });

/** The oldest whose behaviour we know from its sources. */
const OLDEST = [2, 32, 0] as const;

/** The version as printed. Builds of Tart's own developers have none. */
export const parseTartVersion = (text: string): string => {
  const printed = text.trim();
  if (printed === 'SNAPSHOT') return printed;
  const [, major, minor, patch = '0'] = /^v?(\d+)\.(\d+)(?:\.(\d+))?$/.exec(printed) ?? [];
  if (major === undefined || minor === undefined) throw garbled('tart --version', JSON.stringify(printed.slice(0, 80)));
  const version = [Number(major), Number(minor), Number(patch)];
  const at = OLDEST.findIndex((part, index) => version[index] !== part);
  if (at === -1 || (version[at] ?? 0) > (OLDEST[at] ?? 0)) return printed;
  throw new FleetError('unavailable', {
    code: 'TartTooOld',
    message: `tart is ${printed}, and ${OLDEST.join('.')} is the oldest that works`,
    hint: 'Install a newer Tart on the Mac.',
  });
};

/** `tart ip` */
export const parseAddress = (text: string): string | undefined =>
  /^\d{1,3}(\.\d{1,3}){3}$/.test(text.trim()) ? text.trim() : undefined;
