/** What tests of the runners controller on the virtual clock share: a fleet, a pool, and what must always hold. */
import assert from 'node:assert/strict';
import { createLoggerTo } from '../../base/logger.ts';
import type { AnsweredRequest } from '../../controlplane/auth/audit.ts';
import { RUNNER_POOLS, type RunnerPool } from '../../kinds/runner-pool.ts';
import { PODS, SERVICE_ACCOUNTS } from '../../kube/types/core.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { IMAGE } from '../../runners/testing/runner-pods.ts';
import { BRISK_LEASE, type FleetPace, FOLDED_PACE } from '../fleet-pace.ts';
import type { FleetWorld } from '../fleet-world.ts';
import { RUNNERS_USER } from '../identities.ts';
import { createRunnersWorld, RUNNERS_NAMESPACE, type RunnersWorldOptions } from '../runners-world.ts';
import { createPlainDispatcher, type PlainDispatcher } from './plain-dispatcher.ts';
import { startPlainMacs } from './plain-macs.ts';

export interface RunnersStage {
  readonly world: FleetWorld;
  readonly dispatcher: PlainDispatcher;
  /** Writes of the controller but for its lease and events: `verb resource/subresource code`. */
  readonly writes: string[];
  /** What the controllers put into their log, without its fields. */
  readonly said: string[];
  pool(name?: string): RunnerPool | undefined;
  pods(): readonly Pod[];
  /** Those that are not over and not on their way out. */
  alive(): readonly Pod[];
}

export interface StageOptions extends Partial<RunnersWorldOptions> {
  readonly macs?: number;
  readonly pool?: Readonly<Record<string, unknown>>;
}

/** Quiet hours cost little, and a controller that died is replaced within a minute. */
const PACE: FleetPace = { ...FOLDED_PACE, leaderLease: BRISK_LEASE };

const READING: readonly string[] = ['get', 'list', 'watch'];
const QUIET: readonly string[] = ['leases', 'events'];

export const openStage = ({ macs = 3, pool = { replicas: 3 }, ...options }: StageOptions = {}): RunnersStage => {
  const dispatcher = createPlainDispatcher();
  const writes: string[] = [];
  const said: string[] = [];
  const onRequest = ({ attempt, code }: AnsweredRequest): void => {
    if (attempt.on !== 'resource' || attempt.user.name !== RUNNERS_USER.name) return;
    if (READING.includes(attempt.verb) || QUIET.includes(attempt.resource)) return;
    writes.push([attempt.verb, [attempt.resource, attempt.subresource].filter(Boolean).join('/'), code].join(' '));
  };
  const world = createRunnersWorld({
    ...{ seed: 1, traceLines: 0, pace: PACE, observer: { onRequest } },
    transportFor: (actor) => (request) =>
      actor.call({
        site: `dispatch:${request.method}`,
        effect: async () => dispatcher.answer(request),
        signal: request.signal,
      }),
    ...options,
    adjust: (ports) => {
      const adjusted = options.adjust?.(ports) ?? ports;
      return { ...adjusted, logger: createLoggerTo((_level, message) => void said.push(message)) };
    },
  });
  startPlainMacs(
    world,
    dispatcher,
    Array.from({ length: macs }, (_, at) => `mac-${at + 1}`),
  );
  applyPool(world, 'ci', pool);
  const pods = (): readonly Pod[] => world.operator.listOwn(PODS);
  return {
    ...{ world, dispatcher, writes, said, pods },
    pool: (name = 'ci') => world.operator.list(RUNNER_POOLS).find(({ metadata }) => metadata.name === name),
    alive: () =>
      pods().filter(
        ({ metadata, status }) =>
          metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
      ),
  };
};

export const applyPool = ({ operator }: FleetWorld, name: string, spec: object): void =>
  operator.create(`/apis/tuist.dev/v1alpha1/namespaces/${RUNNERS_NAMESPACE}/runnerpools`, {
    ...{ apiVersion: 'tuist.dev/v1alpha1', kind: 'RunnerPool', metadata: { name } },
    spec: { image: IMAGE, fleetSelector: 'm2', dispatchLabel: 'macos', runnerLabels: ['self-hosted'], ...spec },
  });

export const isUp = (stage: RunnersStage, count: number): boolean =>
  stage.alive().filter(({ status }) => status?.phase === 'Running').length === count;

export const runUntil = async (stage: RunnersStage, what: string, until: () => boolean): Promise<void> => {
  const { kernel } = stage.world;
  let revision = -1;
  const { outcome } = await kernel.run({
    ...{ maxEvents: 400_000, maxVirtualMs: 2 * 3_600_000 },
    // What is waited for is written down somewhere.
    until: () => {
      if (revision === stage.world.store.revision) return false;
      revision = stage.world.store.revision;
      return until();
    },
  });
  const seen = stage
    .pods()
    .map(({ metadata, status, spec }) => [metadata.name, status?.phase, spec.nodeName, metadata.labels]);
  const tale = JSON.stringify({ pool: stage.pool(), pods: seen, jobs: stage.dispatcher.jobs }, undefined, 1);
  assert.equal(outcome, 'until', `never: ${what}\n${tale}\n${kernel.dump().split('\n').slice(-30).join('\n')}`);
};

export const runFor = async ({ world: { kernel } }: RunnersStage, ms: number): Promise<void> => {
  await kernel.run({ maxEvents: 400_000, maxVirtualMs: ms });
};

/** The agent of its Mac says so. */
export const die = ({ world }: RunnersStage, name: string, finishedAt = '2026-08-01T10:00:00Z'): void => {
  const state = { terminated: { exitCode: 2, reason: 'Error', finishedAt } };
  const container = { name: 'runner', image: '', imageID: '', ready: false, restartCount: 0, state };
  world.operator.mergeStatus(PODS, name, { status: { phase: 'Failed', containerStatuses: [container] } });
};

/** Every job ran once and to its end (S30, S31), every runner that is gone was told of (S35), and nothing is left over. */
export const checkRest = (stage: RunnersStage): void => {
  const { dispatcher, world } = stage;
  for (const job of dispatcher.jobs) assert.deepEqual([job.state, job.by.length], ['done', 1]);
  const names = new Set(stage.pods().map(({ metadata }) => metadata.name));
  const told = new Set(dispatcher.stops.map(({ pod }) => pod));
  for (const { by } of dispatcher.jobs)
    for (const pod of by) assert.ok(told.has(pod) || names.has(pod), `${pod} is gone, and nobody was told`);
  const accounts = world.operator
    .listOwn(SERVICE_ACCOUNTS)
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.includes('-runner-'));
  assert.deepEqual(accounts.toSorted(), [...names].toSorted());
  assert.deepEqual(world.forbidden, []);
};

export const conditionOf = (stage: RunnersStage, type: string): string => {
  const found = stage.pool()?.status?.conditions?.find((condition) => condition.type === type);
  return `${found?.status} ${found?.reason}`;
};
