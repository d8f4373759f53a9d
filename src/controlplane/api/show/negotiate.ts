/** What the Accept header asks for: in which form objects are wanted, and whether the answer is written as JSON or as YAML. */
import { stringify } from 'yaml';
import type { Call } from '../call.ts';
import { type ApiRequest, type ApiResponse, withHeaders } from '../http.ts';
import { isTrue } from '../read/options.ts';
import { ApiRefusal } from '../refusal.ts';

export type Format = 'object' | 'table' | 'metadata';

type Encoding = 'json' | 'yaml';

/** Of tables and metadata; the older is the same by another name. */
type MetaVersion = 'v1' | 'v1beta1';

interface Wanted {
  readonly encoding: Encoding;
  readonly format: Format;
  readonly metaVersion: MetaVersion;
}

const PLAIN: Wanted = { encoding: 'json', format: 'object', metaVersion: 'v1' };
const ENCODINGS: Readonly<Record<string, Encoding>> = {
  'application/json': 'json',
  'application/yaml': 'yaml',
  '*/*': 'json',
  'application/*': 'json',
  '': 'json',
};

type Asking = Pick<Call, 'headers' | 'query'>;

/** The first form in the Accept header that this server speaks; refused when there is none. Streams are JSON only. */
export const formatOf = (call: Asking): Format => wantedBy(call).format;

/** How a table, or metadata alone, is labelled in the answer. */
export const metaVersionOf = (call: Asking): string => `meta.k8s.io/${wantedBy(call).metaVersion}`;

const wantedBy = ({ headers, query }: Asking): Wanted => {
  const accept = headers['accept'] ?? '';
  const found = isTrue(query.get('watch'))
    ? listWanted(accept).find(({ encoding }) => encoding === 'json')
    : listWanted(accept)[0];
  if (found !== undefined) return found;
  const hint = /protobuf|cbor/.test(accept)
    ? " (Macfleet's embedded control plane answers in neither protobuf nor CBOR: accept application/json too)"
    : '';
  const available = 'Available representations: application/json, application/yaml';
  throw new ApiRefusal('NotAcceptable', `406: Not Acceptable\n\n${available}${hint}`, {});
};

/** What of the header is spoken here, the preferred first. */
const listWanted = (accept: string): readonly Wanted[] => {
  if (accept === '' || accept === 'application/json') return [PLAIN];
  const ranked = accept.split(',').flatMap((part) => {
    const [type = '', ...options] = part.split(';').map((option) => option.trim());
    const encoding = Object.hasOwn(ENCODINGS, type) ? ENCODINGS[type] : undefined;
    const format = formIn(options);
    const metaVersion = metaVersionIn(options) ?? 'v1';
    const isSpoken = encoding !== undefined && format !== undefined;
    return isSpoken ? [{ encoding, format, metaVersion, quality: qualityIn(options) }] : [];
  });
  return ranked.toSorted((left, right) => right.quality - left.quality);
};

const optionIn = (options: readonly string[], name: string): string | undefined =>
  options.find((option) => option.startsWith(`${name}=`))?.slice(name.length + 1);

const qualityIn = (options: readonly string[]): number => Number(optionIn(options, 'q') ?? 1) || 0;

const metaVersionIn = (options: readonly string[]): MetaVersion | undefined => {
  const version = optionIn(options, 'v');
  return version === 'v1' || version === 'v1beta1' ? version : undefined;
};

const formIn = (options: readonly string[]): Format | undefined => {
  const form = optionIn(options, 'as');
  if (form === undefined) return 'object';
  const isKnown = optionIn(options, 'g') === 'meta.k8s.io' && metaVersionIn(options) !== undefined;
  if (isKnown && form === 'Table') return 'table';
  return isKnown && /^PartialObjectMetadata(List)?$/.test(form) ? 'metadata' : undefined;
};

const UNCACHED = { 'cache-control': 'no-cache, private' } as const;

/** The answer as it leaves: in YAML where that is preferred, and not to be kept unless it says otherwise. */
export const present = (response: ApiResponse, { headers }: Pick<ApiRequest, 'headers'>): ApiResponse => {
  const shown = isYamlWanted(headers['accept'] ?? '') ? toYaml(response) : response;
  return shown.headers['cache-control'] === undefined ? withHeaders(shown, UNCACHED) : shown;
};

const isYamlWanted = (accept: string): boolean => accept.includes('yaml') && listWanted(accept)[0]?.encoding === 'yaml';

const toYaml = (response: ApiResponse): ApiResponse => {
  const { headers, body } = response;
  if (typeof body !== 'string' || headers['content-type'] !== 'application/json') return response;
  const text = stringify(JSON.parse(body), { sortMapEntries: true, lineWidth: 0 });
  return { ...response, headers: { ...headers, 'content-type': 'application/yaml' }, body: text };
};
