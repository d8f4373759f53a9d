/** S9, S10, S17: a machine, its Mac and its Node stay who they are. */
import { parseTimestamp } from '../../../base/clock.ts';
import type { ScalewayAppleSiliconMachine } from '../../../kinds/machine.ts';
import { parseProviderId } from '../../../kinds/names.ts';
import type { Happening, Property, Truth } from '../truth.ts';
import { judgeNamesakes } from './namesakes.ts';

/**
 * Of a Machine: which infrastructure machine it has. Somebody may make another of the same name (F76): that has a UID of its
 * own and gets another Mac, and core takes its providerID over. What a provider promises (S9) holds for each of the two.
 */
const infraOf = (happening: Happening, truth: Truth): ScalewayAppleSiliconMachine | undefined => {
  if (happening.is !== 'object' || happening.change.kind !== 'coreMachines') return undefined;
  const { metadata, spec } = happening.change.after ?? {};
  return spec && truth.find('machines', spec.infrastructureRef.name, metadata?.namespace);
};

/** Also one that came with a Machine from another cluster, and is not what that Machine had. */
const isAnother = (happening: Happening, infra: ScalewayAppleSiliconMachine): boolean => {
  if (happening.is !== 'object' || happening.change.kind !== 'coreMachines') return false;
  const had = happening.change.before?.spec.providerID;
  return Boolean(had) && had !== infra.spec.providerID;
};

const uidOf = (happening: Happening): string | undefined =>
  happening.is === 'object' ? happening.change.after?.metadata.uid : undefined;

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

/**
 * Of a Machine that has all three, they are one. Where a person made a Node of that name after the Machine's was deleted, in the name of
 * a server that there is not (F79), the Machine still names it until core has seen that its own is gone.
 */
const differentProviderIds = (happening: Happening, truth: Truth): string | undefined => {
  if (happening.is !== 'object' || happening.change.kind !== 'coreMachines') return undefined;
  const { before, after } = happening.change;
  const nodeName = after?.status?.nodeRef?.name;
  if (after?.spec.providerID === undefined || nodeName === undefined) return undefined;
  const nodeId = truth.find('nodes', nodeName)?.spec?.providerID;
  const isForged = truth.server(parseProviderId(nodeId ?? '')?.serverId ?? '') === undefined;
  const ids = [
    after.spec.providerID,
    truth.find('machines', after.spec.infrastructureRef.name, after.metadata.namespace)?.spec.providerID,
    isForged && before?.status?.nodeRef?.name === nodeName ? undefined : nodeId,
  ].filter((id) => id !== undefined && id !== '');
  return new Set(ids).size > 1 ? `${after.metadata.name} is known as ${[...new Set(ids)].join(' and ')}` : undefined;
};

export const stableIdentity: Property = {
  id: 'S9',
  promise: 'the providerID of a machine and its Node never changes, and is the same everywhere',
  judge: () => {
    const infraUids = new Map<string, string>();
    /** Whether it is the first of its name that this Machine has. */
    const isFirstInfra = (happening: Happening, truth: Truth): boolean => {
      const [uid, infra] = [uidOf(happening), infraOf(happening, truth)];
      if (uid === undefined || infra === undefined) return true;
      const known = infraUids.get(uid) ?? (isAnother(happening, infra) ? 'another' : infra.metadata.uid);
      infraUids.set(uid, known ?? '');
      return known === infra.metadata.uid;
    };
    return (happening, truth) =>
      isFirstInfra(happening, truth)
        ? (changedProviderId(happening) ?? differentProviderIds(happening, truth))
        : undefined;
  },
};

/** An agent whose certificate has ended is a process that nobody listens to (R23). */
const mayBeNode = (providerId: string, nowMs: number, lastKnown: ReadonlyMap<string, number>): boolean =>
  (lastKnown.get(providerId.split('/').at(-1) ?? '') ?? Number.POSITIVE_INFINITY) > nowMs;

export const oneAgentPerNode: Property = {
  id: 'S10',
  promise: 'one Mac at a time works under the name of a Node, and is meant to',
  judge: () => {
    const running = new Map<string, Set<string>>();
    /** When the last certificate of a Mac ends, also once its record is lost or an older one came back. */
    const lastKnown = new Map<string, number>();
    const note = (happening: Happening): void => {
      if (happening.is !== 'object' || happening.change.kind !== 'hosts') return;
      const { metadata, spec } = happening.change.after ?? {};
      const untilMs = parseTimestamp(spec?.identity?.expiresAt);
      if (metadata !== undefined && untilMs !== undefined) lastKnown.set(metadata.name, untilMs);
    };
    return (happening, truth) => {
      note(happening);
      const namesakes = judgeNamesakes(happening, truth);
      if (namesakes !== undefined) return namesakes;
      // When a certificate ends is on record only where it was issued: each cluster judges its own Nodes.
      if (happening.is !== 'agent' || happening.worksFor === 'others') return undefined;
      const { kind, nodeName, providerId } = happening.agent;
      const macs = running.get(nodeName) ?? new Set();
      running.set(nodeName, macs);
      if (kind === 'started') macs.add(providerId);
      else macs.delete(providerId);
      const working = [...macs].filter((mac) => mayBeNode(mac, truth.nowMs(), lastKnown));
      return working.length > 1 ? `${working.join(' and ')} both work as ${nodeName}` : undefined;
    };
  },
};

export const pinnedHostKey: Property = {
  id: 'S17',
  promise: 'the pinned host key of a Mac goes with a wipe of ours, and only then',
  judge: () => (happening) => {
    if (happening.is !== 'object' || happening.change.kind !== 'hosts') return undefined;
    const { before, after } = happening.change;
    const [old, now] = [before?.spec, after?.spec];
    if (old?.hostKey === undefined || now === undefined) return undefined;
    const isKept = now.hostKey?.fingerprint === old.hostKey.fingerprint;
    const isWiped = now.wipes > old.wipes;
    if (isKept !== isWiped) return undefined;
    return `the key of ${after?.metadata.name} ${isKept ? 'outlives a wipe' : 'changed without a wipe'}`;
  },
};
