/** A machine asks for a Mac to be rented: an intent on record, before any money is spent (R25). */
import { toTimestamp } from '../../base/clock.ts';
import { isKind } from '../../base/errors.ts';
import { CONDITIONS, REASONS } from '../../kinds/condition-reasons.ts';
import { MAC_HOSTS, type MacHost, parseMacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import { renderServerName } from '../../kinds/names.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import { apiVersionOf } from '../../kube/types/resource.ts';
import { claimOf } from '../host/claim-of.ts';
import type { HostPorts } from '../host/ports.ts';

/** One intent of a machine at a time, however many passes ask for it. */
const orderNameOf = ({ metadata }: ScalewayAppleSiliconMachine): string => `order-${metadata.uid ?? ''}`;

export const requestOrder = async (
  { clock, ids, settings }: Pick<HostPorts, 'clock' | 'ids' | 'settings'>,
  machine: ScalewayAppleSiliconMachine,
  { kube, signal }: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<void> => {
  const intentID = ids.uuid();
  const { type, zone, os } = machine.spec;
  const name = renderServerName({ kind: 'ordered', clusterId: settings.clusterId, uuid: intentID });
  const intent = {
    apiVersion: apiVersionOf(MAC_HOSTS),
    kind: MAC_HOSTS.kind,
    metadata: { name: orderNameOf(machine) },
    spec: {
      source: { scaleway: { projectID: settings.projectId, zone } },
      ...{ type, osFamily: os, order: { intentID, name, requestedAt: toTimestamp(clock.now()) } },
      ...claimOf(machine),
    },
  };
  try {
    await kube.create(MAC_HOSTS, parseMacHost(intent), { signal });
  } catch (error) {
    if (!isKind(error, 'exists')) throw error;
  }
};

/** What the intent says, in the words of the machine. */
export const describeOrder = (intent: MacHost | undefined): { readonly reason: string; readonly message: string } => {
  const ready = intent?.status?.conditions?.find(({ type }) => type === CONDITIONS.host.ready);
  const message = ready?.message || 'A Mac is being rented.';
  return { reason: ready?.reason ?? REASONS.machine.provisioned.ordering, message };
};
