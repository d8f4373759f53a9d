/** An API server under judgement, and how to log in to it. */
import type { ClusterConfig } from '../../../src/kube/client/login/select-context.ts';
import type { Person } from '../case.ts';

export interface ConformanceServer {
  readonly name: 'embedded' | 'real';
  /** How long it may take to do what it does in its own time: to know a new kind, a grant, a policy. */
  readonly patienceMs: number;
  /** By client certificate. */
  configFor(person: Person): Promise<ClusterConfig>;
  stop(): Promise<void>;
}

export const ADMINISTRATOR: Person = { name: 'conformance-admin', groups: ['system:masters'] };
