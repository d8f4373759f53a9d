/**
 * The Secret `<cluster>-kubeconfig`, by which Cluster API core reaches the cluster that Macs are Nodes of: what to do about
 * it. Pure. One that somebody else keeps there is left alone; ours is renewed well before its token ends.
 */
import { createHash } from 'node:crypto';
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import { CLUSTER_API_LABELS } from '../../kube/types/cluster-api.ts';
import type { Secret } from '../../kube/types/core.ts';

/** On a kubeconfig of ours: when its token ends, and for which cluster it was made. */
const EXPIRES = 'macfleet.tuist.dev/expires-at';
const MADE_FOR = 'macfleet.tuist.dev/made-for';
/** What it held when it was made: content of somebody else's is seen by it (F81). */
const DIGEST = 'macfleet.tuist.dev/digest';
/** What core wants to see. */
const SECRET_TYPE = 'cluster.x-k8s.io/secret';

/** Of a token's life, what may pass before it is renewed. */
const RENEW_AT = 0.7;

export interface KubeconfigView {
  readonly nowMs: number;
  readonly secret: Secret | undefined;
  /** Fingerprint of server and authority. */
  readonly madeFor: string;
  readonly tokenLifeMs: number;
}

export type KubeconfigPlan =
  /** Somebody else's. */
  { readonly do: 'leave' } | { readonly do: 'keep'; readonly renewInMs: number } | { readonly do: 'write' };

export const kubeconfigNameOf = (clusterName: string): string => `${clusterName}-kubeconfig`;

export const planKubeconfig = ({ nowMs, secret, madeFor, tokenLifeMs }: KubeconfigView): KubeconfigPlan => {
  if (secret === undefined) return { do: 'write' };
  const annotations = secret.metadata.annotations ?? {};
  const expiresAtMs = parseTimestamp(annotations[EXPIRES]);
  if (annotations[MADE_FOR] === undefined) return { do: 'leave' };
  const renewInMs = (expiresAtMs ?? 0) - (1 - RENEW_AT) * tokenLifeMs - nowMs;
  const isWhole = annotations[MADE_FOR] === madeFor && annotations[DIGEST] === digestOf(secret.data?.['value'] ?? '');
  return isWhole && renewInMs > 0 ? { do: 'keep', renewInMs } : { do: 'write' };
};

export interface NewKubeconfig {
  readonly namespace: string;
  readonly clusterName: string;
  /** Owner references: it goes with the control plane. */
  readonly owners: Secret['metadata']['ownerReferences'];
  readonly kubeconfig: string;
  readonly madeFor: string;
  readonly expiresAtMs: number;
}

export const renderKubeconfigSecret = (made: NewKubeconfig): Secret => {
  const value = Buffer.from(made.kubeconfig).toString('base64');
  return {
    type: SECRET_TYPE,
    metadata: {
      namespace: made.namespace,
      name: kubeconfigNameOf(made.clusterName),
      labels: { [CLUSTER_API_LABELS.clusterName]: made.clusterName },
      annotations: {
        [EXPIRES]: toTimestamp(made.expiresAtMs),
        [MADE_FOR]: made.madeFor,
        [DIGEST]: digestOf(value),
      },
      ...(made.owners === undefined ? {} : { ownerReferences: made.owners }),
    },
    data: { value },
  };
};

const digestOf = (value: string): string => createHash('sha256').update(value).digest('hex').slice(0, 32);
