/**
 * What the Go original made for each Mac, and nobody needs any more (R28): a ServiceAccount with a token that never expires,
 * its binding, and a Secret with the Mac's password. They go once the Mac has a configuration that we verified and an
 * identity of its own, binding first: a token loses its rights before it goes. The ServiceAccount goes last, because by
 * it the others are found.
 */
import { isKind } from '../../base/errors.ts';
import { LABEL_VALUES, LABELS } from '../../kinds/labels.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import { ifThere, readIfThere } from '../../kube/client/if-there.ts';
import { type Controller, createController, type ReconcileContext } from '../../kube/controller/controller.ts';
import type { Verdict } from '../../kube/queue/work-queue.ts';
import { SECRETS, SERVICE_ACCOUNTS } from '../../kube/types/core.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import { CLUSTER_ROLE_BINDINGS } from '../../kube/types/rbac.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { isWithin } from '../host/host-caches.ts';
import { hostStateOf } from '../host/host-life.ts';

export interface OriginalsParts {
  /** Index `node`: by the name of the machine that has the Mac. */
  readonly hosts: Cache<MacHost>;
  /** Where the original keeps its objects. */
  readonly namespace: string;
  /** Whose machines this manager works for; all without it. */
  readonly machineNamespace?: string;
}

const LOOK_AGAIN_MS = 60_000;
const SELECTOR = `${LABELS.managedBy}=${LABEL_VALUES.managedByProvider},${LABELS.component}=${LABEL_VALUES.componentAgent}`;

/** One key. It rests for good once there is nothing left, or nothing that it may touch. */
export const createOriginalsController = (parts: OriginalsParts): Controller =>
  createController({
    name: 'originals.retire',
    watches: [
      {
        cache: parts.hosts,
        start: (add) => {
          add('originals', 'wish');
          return () => undefined;
        },
      },
    ],
    reconcile: (context) => retireAll(parts, context),
  });

const retireAll = async (parts: OriginalsParts, context: ReconcileContext): Promise<Verdict> => {
  const { hosts, namespace, machineNamespace } = parts;
  const accounts = await listAccounts(namespace, context);
  for (const account of accounts) {
    const machine = account.metadata.labels?.[LABELS.machine] ?? '';
    const known = hosts.byIndex('node', machine).filter((host) => isWithin(machineNamespace, host));
    if (machine !== '' && known.some(isOnItsOwn)) await retire(account, { machine, namespace }, context);
  }
  return accounts.length === 0 ? { next: 'rest' } : { next: 'again', afterMs: LOOK_AGAIN_MS };
};

/** Whether it works with what we verified on it, under a certificate of its own. */
export const isOnItsOwn = ({ spec, status }: MacHost): boolean =>
  hostStateOf(spec, 'there') === 'joined' &&
  status?.state === 'joined' &&
  status.configHash !== undefined &&
  spec.identity?.nodeName === spec.claimRef?.name;

/** The right to is given for a takeover only; without it there is nothing to do. */
const listAccounts = async (
  namespace: string,
  { kube, signal, logger }: ReconcileContext,
): Promise<readonly KubeObject[]> => {
  try {
    return (await kube.list(SERVICE_ACCOUNTS, { namespace, labelSelector: SELECTOR, signal })).items;
  } catch (error) {
    if (!isKind(error, 'denied')) throw error;
    logger.info('No look at what an earlier system left behind: the role macfleet-takeover is not bound');
    return [];
  }
};

const retire = async (
  account: KubeObject,
  { machine, namespace }: { readonly machine: string; readonly namespace: string },
  context: ReconcileContext,
): Promise<void> => {
  const name = `tart-kubelet-${machine}`;
  if (account.metadata.name !== name || !isOriginal(account)) return;
  await removeOurs(CLUSTER_ROLE_BINDINGS, { name }, context);
  await removeOurs(SECRETS, { namespace, name: `${name}-token` }, context);
  await removePassword({ namespace, name: `${machine}-bootstrap` }, context);
  await remove(SERVICE_ACCOUNTS, account, context);
  context.logger.info('Retired what the original made for a Mac', { machine });
};

interface Key {
  readonly namespace?: string;
  readonly name: string;
}

/** Only what bears the original's label: a namesake is somebody else's. */
const removeOurs = async (resource: Resource<KubeObject>, key: Key, context: ReconcileContext): Promise<void> => {
  const found = await readIfThere(resource, key, context);
  if (found !== undefined && isOriginal(found)) await remove(resource, found, context);
};

const isOriginal = ({ metadata }: KubeObject): boolean =>
  metadata.labels?.[LABELS.managedBy] === LABEL_VALUES.managedByProvider;

const PASSWORD_KEYS: readonly string[] = ['sudo-password', 'ssh-username', 'host-fingerprint'];

/** It may have been made by hand, without a label: told by what it holds. */
const removePassword = async (key: Key, context: ReconcileContext): Promise<void> => {
  const found = await readIfThere(SECRETS, key, context);
  const held = Object.keys(found?.data ?? {});
  if (found !== undefined && held.includes('sudo-password') && held.every((name) => PASSWORD_KEYS.includes(name)))
    await remove(SECRETS, found, context);
};

const remove = async (
  resource: Resource<KubeObject>,
  { metadata }: KubeObject,
  { kube, signal }: ReconcileContext,
): Promise<void> => {
  const { name, namespace, uid } = metadata;
  const key = namespace === undefined ? { name } : { namespace, name };
  await ifThere(kube.delete(resource, key, { signal, ...(uid === undefined ? {} : { preconditions: { uid } }) }));
};
