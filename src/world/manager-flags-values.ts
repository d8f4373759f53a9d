/** What the flags of the manager may say: from text to a value, or an error that shows what would be right. */

import { FleetError } from '../base/errors.ts';
import { parseList } from '../base/flags/flag-values.ts';
import { parseWhole } from '../base/flags/parse-number.ts';
import type { LeaseTimes } from '../kube/manager/leader-lease.ts';

const bad = (code: string, message: string, hint: string): FleetError =>
  new FleetError('invalid', { code, message, hint });

/** Undefined for an empty text: not said. */
export const parseServerUrl = (text: string): string | undefined => {
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  if (url?.protocol === 'https:' && isPlain) return url.origin;
  throw bad('BadUrl', `"${text}" is no address of an API server`, 'Write https://, a host and, if need be, a port.');
};

const HERE = ['127.0.0.1', 'localhost'];

/** Of GitHub's API, or of what stands for it in tests: nobody sends the key of an App in clear over a network. */
export const parseGitHubUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.search === '' && url.hash === '' && url.username === '';
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && HERE.includes(url.hostname));
  if (url !== undefined && isPlain && isSafe) return url.href.replace(/\/$/, '');
  throw bad('BadUrl', `"${text}" is no address of GitHub's API`, 'Write https:// and a host: https://api.github.com.');
};

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export const parseNamespace = (text: string): string => {
  if (DNS_LABEL.test(text)) return text;
  throw bad('BadNamespace', `"${text}" is no name of a namespace`, 'Lower case letters, digits and dashes, up to 63.');
};

/** For a name whose absence means that the thing is not wanted, or that another value takes its place. */
export const parseOptionalNamespace = (text: string): string => (text === '' ? text : parseNamespace(text));

const DNS_NAME = /^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/;

export const parseObjectName = (text: string): string => {
  if (text === '' || DNS_NAME.test(text)) return text;
  throw bad('BadName', `"${text}" is no name of an object`, 'Lower case letters, digits, dots and dashes.');
};

const POOL_PREFIX = /^[^\s=,]{1,200}$/;
const RESERVED = /^tuist-(claim-pending|releasing|quarantine|ordered)-/;

/** How names of free Macs begin. Empty: every machine has to say it. */
export const parsePoolPrefix = (text: string): string => {
  if (text === '' || (POOL_PREFIX.test(text) && !RESERVED.test(text))) return text;
  throw bad(
    'BadPoolPrefix',
    `"${text}" cannot be the prefix of a pool`,
    'Without blanks, commas and =, and not one of the names that the manager gives itself: tuist-pool-, for example.',
  );
};

/** The prefix of a pool, and who may adopt from it. */
export interface PoolRule {
  readonly prefix: string;
  readonly namespaces: readonly string[];
}

/** `tuist-pool-=ci,tests` */
export const parsePoolRule = (text: string): PoolRule => {
  const at = text.lastIndexOf('=');
  const [prefix, namespaces] = [text.slice(0, Math.max(at, 0)), parseList(text.slice(at + 1))];
  if (prefix !== '' && namespaces.length > 0) {
    return { prefix: parsePoolPrefix(prefix), namespaces: namespaces.map(parseNamespace) };
  }
  throw bad(
    'BadPoolNamespaces',
    `"${text}" does not say which namespaces may adopt from which pool`,
    'Write the prefix of the pool, =, and the namespaces: tuist-pool-=ci,tests. Once per pool.',
  );
};

/** Who may have Macs rented, and how many. */
export interface OrderRule {
  readonly namespace: string;
  readonly most: number;
}

const ORDERS_MAX = 10_000;

/** `ci=2` */
export const parseOrderRule = (text: string): OrderRule => {
  const [namespace = '', most, ...rest] = text.split('=');
  if (most === undefined || rest.length > 0) {
    throw bad(
      'BadOrderNamespaces',
      `"${text}" does not say how many Macs a namespace may have rented`,
      'Write the namespace, =, and the number: ci=2. Once per namespace.',
    );
  }
  return {
    namespace: parseNamespace(namespace),
    most: parseWhole(most, { least: 0, most: ORDERS_MAX, what: 'count of Macs' }),
  };
};

const HOST_TIMES = ['normal', 'fast'] as const;
export type HostTimesProfile = (typeof HOST_TIMES)[number];

export const parseHostTimes = (text: string): HostTimesProfile => {
  const profile = HOST_TIMES.find((name) => name === text);
  if (profile !== undefined) return profile;
  throw bad('BadHostTimes', `"${text}" is no profile of times`, `Write ${HOST_TIMES.join(' or ')}.`);
};

/** Undefined: the times that Kubernetes' own controllers have. */
const LEASE_PROFILES: ReadonlyMap<string, LeaseTimes | undefined> = new Map([
  ['normal', undefined],
  ['fast', { durationMs: 2_000, renewDeadlineMs: 1_400, retryMs: 300 }],
]);

export const parseLeaseProfile = (text: string): { readonly times: LeaseTimes | undefined } => {
  if (LEASE_PROFILES.has(text)) return { times: LEASE_PROFILES.get(text) };
  const names = [...LEASE_PROFILES.keys()].join(' or ');
  throw bad('BadLeaseProfile', `"${text}" is no lease profile`, `Write ${names}.`);
};
