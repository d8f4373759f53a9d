/** What a route of the simulated API is, and how routes read arguments and cut pages. */
import type { ServerRef } from '../../scaleway/port/cloud.ts';
import type { CloudCore } from './cloud-core.ts';
import { invalidArgument } from './refusals.ts';
import type { CloudVerbs } from './verbs.ts';

export interface RouteCall {
  readonly core: CloudCore;
  readonly verbs: CloudVerbs;
  /** What stood in the path at `{zone}`, `{id}` … */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Route {
  readonly method: string;
  readonly path: string;
  /** The name that faults and audits use. */
  readonly verb: string;
  /** Undefined answers 204. */
  readonly handle: (call: RouteCall) => object | undefined;
}

export const APPLE_SILICON = '/apple-silicon/v1alpha1/zones/{zone}';
const PAGE_SIZE_MAX = 100;
const PAGE_SIZE_DEFAULT = 20;

export const refOf = ({ params }: RouteCall): ServerRef => ({ zone: params['zone'] ?? '', id: params['id'] ?? '' });

export const text = (value: unknown, name: string): string => {
  if (typeof value === 'string') return value;
  throw invalidArgument(name, 'is required');
};

export const optionalText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** One page of the rows, rendered, with the count of all. */
export const page = <T>(
  { query }: RouteCall,
  rows: readonly T[],
  { member, render }: { readonly member: string; readonly render: (row: T) => object },
): object => {
  const size = Number(query.get('page_size') ?? PAGE_SIZE_DEFAULT);
  const at = Number(query.get('page') ?? 1);
  if (!Number.isInteger(size) || size < 1 || size > PAGE_SIZE_MAX)
    throw invalidArgument('page_size', 'must be 1 to 100');
  if (!Number.isInteger(at) || at < 1) throw invalidArgument('page', 'must be at least 1');
  return { total_count: rows.length, [member]: rows.slice((at - 1) * size, at * size).map(render) };
};
