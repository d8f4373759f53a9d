/** S9, S10, S17: a machine, its Mac and its Node stay who they are. */
import { parseTimestamp } from '../../../base/clock.ts';
import type { Happening, Property, Truth } from '../truth.ts';

/** Once set it stays; a person may clear that of a machine to detach its Mac. */
const changedProviderId = (happening: Happening): string | undefined => {
  if (happening.is !== 'object') return undefined;
  const { change } = happening;
  if (change.kind !== 'machines' && change.kind !== 'coreMachines' && change.kind !== 'nodes') return undefined;
  const { before, after } = change;
  const [old, now] = [before?.spec?.providerID, after?.spec?.providerID];
  if (!old || !now || old === now || before?.metadata.uid !== after?.metadata.uid) return undefined;
  return `${after?.metadata.name} had ${old} and has ${now}`;
};

/** Of a Machine that has all three, they are one. */
const differentProviderIds = (happening: Happening, truth: Truth): string | undefined => {
  if (happening.is !== 'object' || happening.change.kind !== 'coreMachines') return undefined;
  const { after } = happening.change;
  const nodeName = after?.status?.nodeRef?.name;
  if (after?.spec.providerID === undefined || nodeName === undefined) return undefined;
  const ids = [
    after.spec.providerID,
    truth.find('machines', after.spec.infrastructureRef.name)?.spec.providerID,
    truth.find('nodes', nodeName)?.spec?.providerID,
  ].filter((id) => id !== undefined && id !== '');
  return new Set(ids).size > 1 ? `${after.metadata.name} is known as ${[...new Set(ids)].join(' and ')}` : undefined;
};

export const stableIdentity: Property = {
  id: 'S9',
  promise: 'the providerID of a machine and its Node never changes, and is the same everywhere',
  judge: () => (happening, truth) => changedProviderId(happening) ?? differentProviderIds(happening, truth),
};

/** An agent whose certificate has ended is a process that nobody listens to (R23). */
const mayBeNode = (providerId: string, truth: Truth): boolean => {
  const { identity } = truth.find('hosts', providerId.split('/').at(-1) ?? '')?.spec ?? {};
  return (parseTimestamp(identity?.expiresAt) ?? Number.POSITIVE_INFINITY) > truth.nowMs();
};

export const oneAgentPerNode: Property = {
  id: 'S10',
  promise: 'one Mac at a time works under the name of a Node',
  judge: () => {
    const running = new Map<string, Set<string>>();
    return (happening, truth) => {
      if (happening.is !== 'agent') return undefined;
      const { kind, nodeName, providerId } = happening.agent;
      const macs = running.get(nodeName) ?? new Set();
      running.set(nodeName, macs);
      if (kind === 'started') macs.add(providerId);
      else macs.delete(providerId);
      const working = [...macs].filter((mac) => mayBeNode(mac, truth));
      return working.length > 1 ? `${working.join(' and ')} both work as ${nodeName}` : undefined;
    };
  },
};

export const pinnedHostKey: Property = {
  id: 'S17',
  promise: 'the pinned host key of a Mac changes only with a wipe of ours',
  judge: () => (happening) => {
    if (happening.is !== 'object' || happening.change.kind !== 'hosts') return undefined;
    const { before, after } = happening.change;
    const [old, now] = [before?.spec, after?.spec];
    if (old?.hostKey === undefined || now === undefined) return undefined;
    if (now.hostKey?.fingerprint === old.hostKey.fingerprint || now.wipes > old.wipes) return undefined;
    return `the key of ${after?.metadata.name} changed without a wipe`;
  },
};
