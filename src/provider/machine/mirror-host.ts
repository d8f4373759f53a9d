/** What a machine says of its Mac: its state and its trouble, in conditions and events under the names of the original. */
import { CONDITIONS, REASONS } from '../../kinds/condition-reasons.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import { done, type EventReport, type Report, type StepResult } from '../../kube/controller/outcome.ts';
import { wasProvisioned } from '../host/host-caches.ts';

type Machine = ScalewayAppleSiliconMachine;

const { provisioned, bootstrapped } = REASONS.machine;

/**
 * What a machine says of a Mac that has not joined: its state, and its trouble. Each step of its way is told on the MacHost
 * alone, and until the claim is carried out there is nothing to add to the choice.
 */
export const mirrorOf = (machine: Machine, host: MacHost | undefined): Report<Machine> => {
  const { state = 'not on record', message } = troubleOf(host);
  if (isUntold(host)) return {};
  return {
    condition: {
      type: CONDITIONS.machine.provisioned,
      status: 'False',
      reason: REASONS.machine.ready.notReady,
      message: `The host is ${state}${message === undefined ? '' : `: ${message}`}.`,
    },
    ...(state === 'preparing' && machine.status?.phase === 'Adopting' ? { events: adoptedEvents(host) } : {}),
    status: { phase: 'Bootstrapping' },
  };
};

/** Where a Mac is in its life, and what keeps it from going on. */
const troubleOf = (host: MacHost | undefined) => {
  const { state, conditions } = host?.status ?? {};
  const ready = conditions?.find(({ type }) => type === CONDITIONS.host.ready);
  const isOnItsWay = ready === undefined || ready.status === 'True' || ready.reason === REASONS.host.ready.notReady;
  return { state, ...(isOnItsWay ? {} : { reason: ready.reason, message: ready.message }) };
};

/** Until the claim is carried out there is nothing to add to the choice. */
const isUntold = (host: MacHost | undefined): boolean => {
  const { state, message } = troubleOf(host);
  return message === undefined && (state === 'free' || state === 'claimed');
};

/** Under the names that the original gives its conditions: what a bootstrap waits for, or that it is over. */
export const tellBootstrap = (machine: Machine, host: MacHost | undefined): StepResult<Machine> => {
  const { state, reason = bootstrapped.bootstrapFailed, message } = troubleOf(host);
  const { bootstrapped: type } = CONDITIONS.machine;
  if (state === 'joined')
    return done({ condition: { type, status: 'True', reason: bootstrapped.bootstrapped, message: '' } });
  if (message !== undefined) return done({ condition: { type, status: 'False', reason, message } });
  if (!isPreparedAnew(machine, host)) return done();
  const told = `The Mac is prepared anew: its MacHost ${host?.metadata.name} tells how far it is.`;
  return done({ condition: { type, status: 'False', reason: bootstrapped.nodeNotReady, message: told } });
};

/** Whether a Mac that has worked for this machine has lost its Node, or has one that is not ready (W-13). */
export const isPreparedAnew = (machine: Machine, host: MacHost | undefined): boolean =>
  wasProvisioned(machine) && host?.status?.state === 'preparing';

export const bootstrapMessageOf = ({ status }: Machine): string =>
  status?.conditions?.find(({ type }) => type === CONDITIONS.machine.bootstrapped)?.message ?? '';

const adoptedEvents = (host: MacHost | undefined): readonly EventReport[] => [
  { type: 'Normal', reason: 'Adopted', message: `The Mac ${host?.metadata.name} has the name of this machine.` },
  { type: 'Normal', reason: 'Bootstrapping', message: `Its MacHost ${host?.metadata.name} tells how far it is.` },
];

export const READY_EVENTS: readonly EventReport[] = [
  { type: 'Normal', reason: bootstrapped.bootstrapped, message: 'The Mac is configured, and its Node is there.' },
  { type: 'Normal', reason: provisioned.provisioned, message: 'Cluster API is told the providerID of the Mac.' },
];
