/** What a person calls the things that can be described. Pure. */
import { FleetError } from '../../base/errors.ts';

export type DescribedKind = 'host' | 'machine' | 'pod' | 'job';

const NAMES: Readonly<Record<string, DescribedKind>> = {
  ...{ host: 'host', hosts: 'host', mac: 'host', machost: 'host', machosts: 'host', mh: 'host' },
  ...{ machine: 'machine', machines: 'machine', samm: 'machine', scalewayapplesiliconmachine: 'machine' },
  ...{ pod: 'pod', pods: 'pod', po: 'pod', job: 'job', jobs: 'job' },
};

export interface Target {
  readonly kind: DescribedKind;
  readonly name: string;
  readonly namespace?: string;
}

/** `pod a`, `pod/a`, or `pod/ci/a` as `macfleet status -o name` writes it. */
export const parseTarget = (words: readonly string[]): Target => {
  const [kindName = '', ...rest] = words.flatMap((word) => word.split('/'));
  const kind = NAMES[kindName.toLowerCase()];
  const [first, second, ...more] = rest;
  if (kind === undefined || first === undefined || first === '' || more.length > 0) throw badTarget(words);
  return second === undefined ? { kind, name: first } : { kind, namespace: first, name: second };
};

/** As above; a single word is a Pod. Only Pods and Jobs have a log. */
export const parseLogTarget = (words: readonly string[]): Target => {
  const [only = ''] = words;
  const target = words.length === 1 && !only.includes('/') ? parseTarget(['pod', only]) : parseTarget(words);
  if (target.kind === 'pod' || target.kind === 'job') return target;
  throw new FleetError('invalid', {
    code: 'NoLog',
    message: `a ${target.kind} has no log`,
    hint: `Its story is told by: macfleet describe ${target.kind} ${target.name}`,
  });
};

const badTarget = (words: readonly string[]): FleetError =>
  new FleetError('invalid', {
    code: 'BadTarget',
    message: `"${words.join(' ')}" names nothing that can be described`,
    hint: 'Write a kind and a name: host, machine, pod or job, for example `macfleet describe machine macos-x7k2p`.',
  });
