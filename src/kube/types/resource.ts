/** A kind as the API serves it. */
import type { KubeObject } from './meta.ts';

/** Names the kind `T` on the wire. `T` is carried for the type checker only. */
export interface Resource<T extends KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly example?: T;
}

export const apiVersionOf = ({ group, version }: Resource<KubeObject>): string =>
  group === '' ? version : `${group}/${version}`;
