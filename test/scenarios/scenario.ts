/**
 * Scenarios: short stories that any control plane must tell the same way. A scenario knows a cluster only through ScenarioApi;
 * who runs it decides what is behind (the embedded control plane on the simulation kernel, or a real Kubernetes), and compares
 * the end states that it returns.
 */
import type { KubeObject, ObjectKey } from '../../src/kube/types/meta.ts';
import type { Resource } from '../../src/kube/types/resource.ts';

export interface ScenarioApi {
  /** Of this scenario alone; others that it makes begin with this name. */
  readonly namespace: string;
  /** What its Pods must ask for, so that they run on its own Nodes. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T>;
  /** A merge patch. */
  patch(resource: Resource<KubeObject>, key: ObjectKey, body: object): Promise<void>;
  delete(resource: Resource<KubeObject>, key: ObjectKey): Promise<void>;
  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Promise<T | undefined>;
  /** Of Nodes only those of this scenario. */
  list<T extends KubeObject>(resource: Resource<T>, namespace?: string): Promise<readonly T[]>;
  evict(pod: ObjectKey): Promise<'evicted' | 'refused'>;
  /** Waits until it holds; fails when that takes unreasonably long. */
  until(goal: string, isReached: () => Promise<boolean>): Promise<void>;
  /** Watches that it holds for a while. */
  always(claim: string, holds: () => Promise<boolean>, forMs: number): Promise<void>;
  /** A scripted node agent begins or ends, without a word. */
  startNode(name: string): void;
  stopNode(name: string): void;
}

/** What a real control plane shows in the end and the embedded one does not. */
export interface Difference {
  /** A text of the end state. */
  readonly shown: string;
  readonly why: string;
}

export interface Scenario {
  readonly name: string;
  /** `machines`: Cluster API and a provider whose machines come by themselves. */
  readonly needs: 'nodes' | 'machines';
  /** Nodes fall silent in it: to be told in reasonable time it needs a control plane that soon notices. */
  readonly losesNodes?: true;
  /** Waits for something that does not last: who looks too seldom misses it. */
  readonly fleeting?: true;
  readonly differences?: readonly Difference[];
  /** Gives what a user can see at the end, without names and times. */
  readonly run: (api: ScenarioApi) => Promise<unknown>;
}

/** The scripted agent's Node is a Mac: it repels what does not ask for one. */
export const FOR_MACS = { key: 'tuist.dev/macos', operator: 'Exists' } as const;

interface Told {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

/** Conditions as text, without words that differ from one control plane to the next. */
export const tellConditions = (conditions: readonly Told[] | undefined): readonly string[] =>
  (conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason ?? ''}`.trim()).sort();

export const conditionOf = (
  object: { readonly status?: { readonly conditions?: readonly Told[] | undefined } } | undefined,
  type: string,
): string | undefined => object?.status?.conditions?.find((condition) => condition.type === type)?.status;
