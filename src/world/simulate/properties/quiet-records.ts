/** L1–L3 once more: what has ended at Scaleway or in the cluster is gone here too, and what is there is found. */
import { parseTimestamp } from '../../../base/clock.ts';
import type { MacHost } from '../../../kinds/mac-host.ts';
import { parseProviderId } from '../../../kinds/names.ts';
import type { Truth } from '../truth.ts';
import type { Finding } from './memory.ts';

/** Within this everything is noticed. */
const SETTLED_MS = 3_600_000;

const isOld = (time: string | undefined, nowMs: number): boolean =>
  nowMs - (parseTimestamp(time) ?? nowMs) > SETTLED_MS;

export const judgeRecords = (truth: Truth): readonly Finding[] => [
  ...unnoticedLosses(truth),
  ...straysOfNodes(truth),
  ...endlessRents(truth),
  ...unfoundNodes(truth),
];

/** Of a server that was to be deleted in the end, and whose time came meanwhile, the record may still be on its way out. */
const unnoticedLosses = (truth: Truth): readonly Finding[] => {
  const projects = new Set(truth.servers().map(({ projectId }) => projectId));
  return truth
    .list('hosts')
    .filter(({ metadata }) => truth.server(metadata.name) === undefined)
    .filter(({ spec, status }) => projects.has(spec.source.scaleway?.projectID ?? '') && !status?.server?.goneAt)
    .filter(({ spec }) => spec.source.scaleway?.serverID !== undefined && spec.release?.policy !== 'terminate')
    .map(({ metadata }) => ({
      property: 'L2',
      message: `${metadata.name} is gone at Scaleway, and its record does not know`,
    }));
};

/** One whose record was lost on its way back to the pool waits for a person, and its Node with it: that goes with its wipe. */
const isNobodys = ({ spec }: MacHost): boolean =>
  spec.claimRef === undefined && spec.release === undefined && spec.hold?.reason !== 'RecordLost';

/** The Node of a Mac that nobody has (R14). One that a person made up names no Mac on record. */
const straysOfNodes = (truth: Truth): readonly Finding[] =>
  truth.list('nodes').flatMap(({ metadata, spec }): readonly Finding[] => {
    const host = truth.find('hosts', parseProviderId(spec?.providerID ?? '')?.serverId ?? '');
    if (host === undefined || !isNobodys(host)) return [];
    return [{ property: 'L2', message: `the Node ${metadata.name} is there, and its Mac has no machine any more` }];
  });

/** A Mac that is to be given up goes, or has a day on which it goes. */
const endlessRents = (truth: Truth): readonly Finding[] =>
  truth.list('hosts').flatMap(({ metadata, spec }): readonly Finding[] => {
    const server = truth.server(metadata.name);
    const { current, next } = spec.assignedName ?? {};
    const isOurs = server !== undefined && (server.name === current || server.name === next);
    if (!isOurs || server.status !== 'ready' || server.isDeletionScheduled) return [];
    if (spec.release?.policy !== 'terminate' || !isOld(spec.release.requestedAt, truth.nowMs())) return [];
    const message = `${metadata.name} is to be given up since ${spec.release.requestedAt}, and its rent goes on`;
    return [{ property: 'L3', message }];
  });

/** Core finds the Node of a machine by its providerID, through the kubeconfig that we write (004-1). Its Node has its name: an old providerID may be another's by now. */
const unfoundNodes = (truth: Truth): readonly Finding[] =>
  truth
    .list('coreMachines')
    .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.nodeRef === undefined)
    .filter(({ metadata, spec }) => {
      const node = truth.find('nodes', metadata.name);
      const isThere = spec.providerID !== undefined && node?.spec?.providerID === spec.providerID;
      return isThere && isOld(metadata.creationTimestamp, truth.nowMs());
    })
    .map(({ metadata }) => ({
      property: 'L1',
      message: `the Node of ${metadata.name} is there, and Cluster API does not find it`,
    }));
