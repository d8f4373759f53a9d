/** What a list or watch asks for beside the objects: which moment, how many, and in what order of events. */
import type { Call } from '../call.ts';
import { invalidOptions } from '../options.ts';
import { ApiRefusal, badRequest, forbiddenField, notSupported, type Problem } from '../refusal.ts';

export interface ReadOptions {
  /** Undefined when the client names no version. */
  readonly version: number | undefined;
  readonly match: 'Exact' | 'NotOlderThan' | undefined;
  readonly initialEvents: 'send' | 'skip' | undefined;
  /** 0 for all. */
  readonly limit: number;
  readonly continueToken: string;
  readonly timeoutSeconds: number;
}

const MATCHES = ['Exact', 'NotOlderThan'] as const;

export const isTrue = (text: string | null): boolean => ['true', '1', 't', 'T', 'TRUE', 'True'].includes(text ?? '');

export const readOptionsOf = ({ query }: Call, verb: 'list' | 'watch'): ReadOptions => {
  const match = query.get('resourceVersionMatch') ?? '';
  const version = query.get('resourceVersion') ?? '';
  const initial = query.get('sendInitialEvents');
  const problems = verb === 'list' ? checkList({ match, version, initial }) : checkWatch({ match, initial });
  if (problems.length > 0) throw invalidOptions('ListOptions', problems);
  return {
    version: version === '' ? undefined : parseVersion(version, verb),
    match: MATCHES.find((one) => one === match),
    initialEvents: initial === null ? undefined : isTrue(initial) ? 'send' : 'skip',
    limit: Math.max(0, parseNumber(query.get('limit'))),
    continueToken: query.get('continue') ?? '',
    timeoutSeconds: parseNumber(query.get('timeoutSeconds')),
  };
};

interface Said {
  readonly match: string;
  readonly version?: string;
  readonly initial: string | null;
}

const checkList = ({ match, version, initial }: Said): readonly Problem[] => {
  const field = 'resourceVersionMatch';
  if (initial !== null) return [forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
  if (match === '') return [];
  const problems: Problem[] = [];
  if (version === '') problems.push(forbiddenField(field, `${field} is forbidden unless resourceVersion is provided`));
  if (!MATCHES.some((one) => one === match)) problems.push(notSupported(field, match, [...MATCHES, '']));
  if (match === 'Exact' && version === '0') {
    problems.push(forbiddenField(field, `${field} "exact" is forbidden for resourceVersion "0"`));
  }
  return problems;
};

const checkWatch = ({ match, initial }: Said): readonly Problem[] => {
  const field = 'resourceVersionMatch';
  if (initial === null) {
    return match === ''
      ? []
      : [forbiddenField(field, `${field} is forbidden for watch unless sendInitialEvents is provided`)];
  }
  if (match === 'NotOlderThan') return [];
  return [forbiddenField(field, `sendInitialEvents requires setting ${field} to NotOlderThan`)];
};

/** A real API server answers a watch from nonsense with 500, and everything else with 400. */
export const parseVersion = (text: string, verb: 'list' | 'watch' = 'list'): number => {
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  const why = `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  const problem = `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${why}`;
  throw verb === 'watch' ? new ApiRefusal('Unknown', problem) : badRequest(`invalid resource version: ${problem}`);
};

const parseNumber = (text: string | null): number => {
  if (text === null || text === '') return 0;
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
};
