/** Everything that objects tell with a time, in the order in which it happened. Pure. */
import { parseTimestamp } from '../../base/clock.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { Event } from '../../kube/types/core.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { type AnyCondition, renderReason } from '../fleet/conditions.ts';
import { orderMoments, type Rank } from './order-moments.ts';

export interface Moment {
  readonly at: string;
  /** Whose: `machost/6d1a…`, `pod/ci/a`. */
  readonly who: string;
  /** Where it is told: an object's own record, its conditions, a step on the Mac, an event, or the cloud. */
  readonly from: 'object' | 'condition' | 'step' | 'event' | 'cloud' | 'container';
  readonly what: string;
}

/** A time that may be missing, and what happened then; its rank, where it is not that of all from there. */
type Dated = readonly [
  at: string | undefined,
  from: Moment['from'],
  what: string,
  rank?: Rank | undefined,
  version?: string | undefined,
];

const RANK_FROM: Readonly<Record<Moment['from'], Rank>> = {
  ...{ object: 'state', condition: 'condition', step: 'step', event: 'event', cloud: 'cloud', container: 'container' },
};

export interface Told {
  readonly who: string;
  readonly object: KubeObject;
}

export const toTimeline = (told: readonly Told[], events: readonly (readonly [string, Event])[]): readonly Moment[] =>
  orderMoments([
    ...told.flatMap(({ who, object }) => toMoments(who, momentsOf(object))),
    ...events.flatMap(([who, event]) => toMoments(who, datesOfEvent(event))),
  ]).map(({ at, who, from, what }) => ({ at, who, from, what }));

const toMoments = (who: string, dated: readonly Dated[]) =>
  dated.flatMap(([at, from, what, rank = RANK_FROM[from], version]) =>
    parseTimestamp(at) === undefined ? [] : [{ at: at ?? '', who, from, what, rank, version }],
  );

const momentsOf = (object: KubeObject): readonly Dated[] => [
  [object.metadata.creationTimestamp, 'object', 'made', 'made'],
  [object.metadata.deletionTimestamp, 'object', 'to be deleted', 'asked'],
  ...conditionsOf(object).map((condition): Dated => {
    const { lastTransitionTime, type } = condition;
    return [lastTransitionTime, 'condition', renderCondition(condition), CONDITION_RANKS[type]];
  }),
  ...(isMacHost(object) ? datesOfHost(object) : []),
  ...(isPod(object) ? datesOfPod(object) : []),
];

/** Of those that begin something, and of those that sum up what the others say. */
const CONDITION_RANKS: Readonly<Record<string, Rank>> = {
  ...{ PodScheduled: 'asked', Initialized: 'begun' },
  ...{ Ready: 'summary', Available: 'summary', Complete: 'summary', Failed: 'summary' },
};

const renderCondition = (condition: AnyCondition): string => {
  const why = renderReason(condition);
  return `${condition.type} became ${condition.status}${why === '' ? '' : `, ${why}`}`;
};

const conditionsOf = (object: KubeObject): readonly AnyCondition[] => {
  const { status } = parseConditioned(object);
  return status?.conditions ?? [];
};

/** Every kind that has conditions has them there. */
const parseConditioned = (object: KubeObject) =>
  object as KubeObject & { readonly status?: { readonly conditions?: readonly AnyCondition[] } };

const isMacHost = (object: KubeObject): object is MacHost => object.kind === 'MacHost';
const isPod = (object: KubeObject): object is Pod => object.kind === 'Pod';

const datesOfHost = ({ spec, status }: MacHost): readonly Dated[] => [
  [spec.order?.requestedAt, 'cloud', `ordered as ${spec.order?.name}`],
  [spec.release?.requestedAt, 'object', `release asked for${by(spec.release?.by)}: ${reason(spec.release)}`, 'asked'],
  [spec.hold?.since, 'object', `held${by(spec.hold?.by)}: ${reason(spec.hold)}`],
  [spec.quarantine?.since, 'object', `quarantined: ${reason(spec.quarantine)}`],
  [spec.reinstall?.requestedAt, 'cloud', 'wipe asked for'],
  [spec.reinstall?.acceptedAt, 'cloud', 'wipe seen to begin'],
  [spec.rebootRequest?.requestedAt, 'object', `reboot asked for${by(spec.rebootRequest?.by)}`, 'asked'],
  ...spec.budgets.reboots.times.map((at): Dated => [at, 'cloud', 'rebooted for recovery']),
  ...spec.budgets.sudo.tries.map(({ at, outcome }): Dated => [at, 'step', `a password was tried: ${outcome}`]),
  [spec.budgets.bootstrap.nextAttemptAt, 'object', 'nothing is tried before', 'ahead'],
  [spec.identity?.expiresAt, 'object', `the credentials of ${spec.identity?.nodeName} end`, 'ahead'],
  [spec.lastWrite?.at, 'cloud', `last write to Scaleway: ${spec.lastWrite?.verb}`],
  // In that state its steps begin; every other one follows from what was done or seen.
  [status?.stateSince, 'object', `became ${status?.state}`, status?.state === 'preparing' ? 'begun' : 'state'],
  ...datesOfOperation(status?.operation),
  ...datesOfServer(status?.server),
];

const by = (who: string | undefined): string => (who === undefined ? '' : ` by ${who}`);
const reason = (kept: { readonly reason: string; readonly message?: string | undefined } | undefined): string =>
  kept === undefined ? '' : renderReason(kept);

type HostStatus = NonNullable<MacHost['status']>;

const datesOfOperation = (operation: HostStatus['operation']): readonly Dated[] => {
  if (operation === undefined) return [];
  const { kind, epoch, startedAt, finishedAt, deadline, steps = [] } = operation;
  return [
    [startedAt, 'step', `${kind} began (epoch ${epoch})`, 'begun'],
    [finishedAt, 'step', `${kind} ended`, 'over'],
    ...(finishedAt === undefined ? [[deadline, 'step', `${kind} is given up`, 'ahead'] as const] : []),
    ...steps.flatMap(({ id, state, startedAt: began, finishedAt: ended, message }): readonly Dated[] => {
      const said = message === undefined ? '' : `: ${message}`;
      if (ended !== undefined) return [[ended, 'step', `step ${id} ${state}${said}`]];
      return [[began, 'step', `step ${id} ${state}${said}`]];
    }),
  ];
};

const datesOfServer = (server: HostStatus['server']): readonly Dated[] => [
  [server?.seenAt, 'cloud', `seen at Scaleway: ${server?.status}, named ${server?.name}`],
  [server?.missingSince, 'cloud', 'missing from complete lists since then'],
  [server?.unseenSince, 'cloud', 'a look at the server finds nothing since then'],
  [server?.goneAt, 'cloud', 'gone for good'],
  [server?.deletableAt, 'cloud', 'its lease ends: from then on its rent can end', 'ahead'],
];

const datesOfPod = ({ status }: Pod): readonly Dated[] => [
  [status?.startTime, 'object', 'taken up by its Node', 'begun'],
  ...(status?.containerStatuses ?? []).flatMap(({ name, state, lastState }): readonly Dated[] =>
    [lastState, state].flatMap((it): readonly Dated[] => [
      [it?.running?.startedAt ?? it?.terminated?.startedAt, 'container', `${name} started`],
      [
        it?.terminated?.finishedAt,
        'container',
        `${name} ended with ${it?.terminated?.exitCode}${it?.terminated?.reason === undefined ? '' : `, ${renderReason(it.terminated)}`}`,
      ],
    ]),
  ),
];

/** Told once more where it was told again; its version is that of its last telling. */
const datesOfEvent = ({ type, reason, message, series, metadata, ...event }: Event): readonly Dated[] => {
  const what = `${type === 'Warning' ? 'warning ' : ''}${renderReason({ reason, message })}`;
  const first = event.eventTime ?? event.firstTimestamp ?? metadata.creationTimestamp;
  const last = series?.lastObservedTime ?? event.lastTimestamp;
  const count = series?.count ?? event.count ?? 1;
  const version = metadata.resourceVersion;
  if (count <= 1 || last === undefined || last === first) return [[first, 'event', what, 'event', version]];
  return [
    [first, 'event', what],
    [last, 'event', `${what} (${count} times)`, 'event', version],
  ];
};
