/** TokenRequest: how the kubelet gets the token of a Pod's ServiceAccount. A subresource, so it has no Resource of its own. */
import type { KubeObject } from './meta.ts';

export interface TokenRequest extends KubeObject {
  readonly spec: {
    readonly audiences: readonly string[];
    readonly expirationSeconds?: number;
    readonly boundObjectRef?: {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly name?: string;
      readonly uid?: string;
    };
  };
  readonly status?: { readonly token: string; readonly expirationTimestamp: string };
}
