/** What a route of the simulated dispatcher is, and what it is called with. */
import { FleetError } from '../../base/errors.ts';
import type { Ring } from '../http/ring.ts';
import type { Account, ClusterView } from './cluster-view.ts';
import type { DispatchCore } from './dispatch-core.ts';
import type { RunnerName } from './dispatch-record.ts';
import type { DispatchVerb } from './fault-list.ts';

/** A call that arrived, for a person who looks on. */
export interface DispatchCall {
  readonly atMs: number;
  readonly caller: string;
  readonly verb: string;
  readonly target: string;
  /** The status, or `lost`. */
  readonly outcome: number | 'lost';
}

export interface ServeDeps {
  readonly core: DispatchCore;
  readonly view: ClusterView;
  /** The account whose word counts about pools and the ends of Pods. */
  readonly controller: Account;
  readonly calls: Ring<DispatchCall>;
}

/** Who asks, as far as the route needs to know. */
export type Who =
  | { readonly is: 'controller' }
  | { readonly is: 'anybody' }
  | ({ readonly is: 'runner'; readonly namespace: string; readonly pool: string } & RunnerName);

export interface RouteCall extends ServeDeps {
  readonly who: Who;
  readonly pod: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly verb: DispatchVerb;
  /** A runner shows the token of its Pod, the controller its own; whoever shows a JIT config needs none. */
  readonly needs: Who['is'];
  /** The protocol that brought it. */
  readonly since: 1 | 2;
  readonly handle: (call: RouteCall) => Reply | Promise<Reply>;
}

/** Thrown anywhere in a call, it is the answer. */
export const refusal = (status: number, message: string): FleetError =>
  new FleetError('invalid', { code: 'Refused', message, details: { status } });
