/** What becomes of a machine whose Mac is lost: pure. Before it was provisioned it takes another one; after that it is replaced (R22). */
import { CONDITIONS, REASONS } from '../../kinds/condition-reasons.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import { wasProvisioned } from '../host/host-caches.ts';

export type Judgement =
  | { readonly kind: 'fine' }
  /** Forget this Mac and choose again. */
  | { readonly kind: 'swap'; readonly message: string }
  /** Cluster API core has to put another Machine in its place. */
  | { readonly kind: 'replace'; readonly message: string };

export const judgeHost = (machine: ScalewayAppleSiliconMachine, host: MacHost | undefined): Judgement => {
  const message = host === undefined ? undefined : describeLoss(machine, host);
  if (message === undefined) return { kind: 'fine' };
  return { kind: wasProvisioned(machine) ? 'replace' : 'swap', message };
};

/** Undefined: it has its Mac, or has yet to claim it. A record that is missing says nothing: the inventory makes it anew. */
const describeLoss = ({ metadata }: ScalewayAppleSiliconMachine, { spec, status }: MacHost): string | undefined => {
  if (spec.claimRef?.uid !== metadata.uid) return undefined;
  if (status?.server?.goneAt !== undefined) return 'The Mac is gone: its server was deleted at Scaleway.';
  if (spec.release !== undefined) return `The Mac was given back: ${spec.release.message ?? spec.release.reason}.`;
  const ready = status?.conditions?.find(({ type }) => type === CONDITIONS.host.ready);
  return ready?.reason === REASONS.host.ready.replacementNeeded
    ? `The Mac is beyond recovery: ${ready.message}.`
    : undefined;
};
