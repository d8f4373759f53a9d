/** A launchd job by its property list. */
import { messageOf } from '../../../base/errors.ts';
import type { MacFiles } from './files.ts';
import { isDict, type PlistDict, type PlistValue, parsePlist } from './plist.ts';

export interface JobSpec {
  readonly label: string;
  readonly path: string;
  readonly words: readonly string[];
  readonly user: 'root' | 'm1';
  readonly runsAtLoad: boolean;
  readonly keepAlive: 'always' | 'on-failure' | 'never';
  readonly throttleMs: number;
  readonly intervalMs: number | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly stdoutPath: string;
  readonly stderrPath: string;
}

export type ReadJob = JobSpec | { readonly refusal: readonly [code: number, why: string] };

const THROTTLE_S = 10;
const OTHERS_WRITE = 0o022;

/** What launchd makes of the file: the job, or the error it ends with. */
export const readJob = (files: MacFiles, path: string): ReadJob => {
  const facts = files.facts(path);
  const text = files.readText(path);
  if (facts === undefined || text === undefined) return { refusal: [2, 'No such file or directory'] };
  const isDaemon = path.startsWith('/Library/');
  if (isDaemon && (facts.uid !== 0 || (facts.mode & OTHERS_WRITE) !== 0))
    return { refusal: [122, 'Path had bad ownership/permissions'] };
  try {
    return parseJob(path, text);
  } catch (error) {
    return { refusal: [5, `Input/output error (${messageOf(error)})`] };
  }
};

const parseJob = (path: string, text: string): ReadJob => {
  const plist = parsePlist(text);
  if (!isDict(plist)) return { refusal: [5, 'Input/output error'] };
  const label = textOf(plist['Label']);
  const program = textOf(plist['Program']);
  const given = textsOf(plist['ProgramArguments']);
  const words = program === undefined ? given : [program, ...given.slice(1)];
  if (label === undefined || words.length === 0) return { refusal: [5, 'Input/output error'] };
  return {
    ...{ label, path, words, user: plist['UserName'] === 'm1' ? 'm1' : 'root' },
    ...{ runsAtLoad: plist['RunAtLoad'] === true, keepAlive: keepAliveOf(plist['KeepAlive']) },
    throttleMs: (numberOf(plist['ThrottleInterval']) ?? THROTTLE_S) * 1000,
    intervalMs: secondsToMs(numberOf(plist['StartInterval'])),
    env: environmentOf(plist),
    stdoutPath: textOf(plist['StandardOutPath']) ?? '/dev/null',
    stderrPath: textOf(plist['StandardErrorPath']) ?? '/dev/null',
  };
};

const secondsToMs = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : seconds * 1000;

const keepAliveOf = (value: PlistValue | undefined): JobSpec['keepAlive'] => {
  if (isDict(value)) return value['SuccessfulExit'] === false ? 'on-failure' : 'always';
  return value === true ? 'always' : 'never';
};

const environmentOf = (plist: PlistDict): Readonly<Record<string, string>> => {
  const given = plist['EnvironmentVariables'];
  return isDict(given) ? Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)])) : {};
};

const textOf = (value: PlistValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
const numberOf = (value: PlistValue | undefined): number | undefined => (typeof value === 'number' ? value : undefined);
const textsOf = (value: PlistValue | undefined): readonly string[] =>
  Array.isArray(value) ? value.map((item: PlistValue) => String(item)) : [];
