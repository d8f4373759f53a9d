/**
 * Runners whole on the virtual clock: embedded control plane, runners controller, real tart-kubelets on Macs of steps, guests that
 * poll the simulated dispatcher, and the judges of S30–S35 on its record.
 */
import { neverAborted } from '../base/abort.ts';
import { isRecord } from '../base/json.ts';
import { ADMIN, nodeUser } from '../controlplane/auth/user.ts';
import { LABELS } from '../kinds/labels.ts';
import { PODS } from '../kube/types/core.ts';
import { createKubelet } from '../kubelet/create-kubelet.ts';
import { createRecordChecker, type RecordChecker } from '../sim/dispatch/check-record.ts';
import { DISPATCH_POLL } from '../sim/dispatch/guest/step-program.ts';
import type { SimDispatch } from '../sim/dispatch/sim-dispatch.ts';
import { createKernelDispatchTransport } from '../sim/dispatch/transports.ts';
import type { Actor } from '../sim/kernel/actor.ts';
import { seenBy } from '../sim/tart/step/seen-by.ts';
import { createStepMac, type StepMac } from '../sim/tart/step/step-mac.ts';
import { renderDispatchRights } from './dispatch-rights.ts';
import type { FleetWorld } from './fleet-world.ts';
import { RUNNERS_ACCOUNT, RUNNERS_USER } from './identities.ts';
import { createKubeletPorts, MAC_FOLDERS } from './kubelet-ports.ts';
import { createRunnersWorld, RUNNERS_NAMESPACE, type RunnersWorldOptions } from './runners-world.ts';
import { createWorldDispatch, type WorldDispatch } from './world-dispatch.ts';

export interface RunnerFleetOptions extends Omit<RunnersWorldOptions, 'transportFor' | 'tokenFor'> {
  readonly macs: number;
  /** Of runners; every Mac can pull them. */
  readonly images: readonly string[];
  readonly protocol?: 1 | 2;
  /** How many runners of a pool may be alive at once. */
  readonly aliveMax: number;
}

export interface RunnerFleet {
  readonly world: FleetWorld;
  readonly dispatch: SimDispatch;
  readonly checker: RecordChecker;
  readonly macs: ReadonlyMap<string, StepMac>;
}

const RUNNER_FLEET = 'm2';
const READING: readonly string[] = ['get', 'list', 'watch'];

export const createRunnerFleet = (options: RunnerFleetOptions): RunnerFleet => {
  const made: { dispatcher?: WorldDispatch } = {};
  const dispatch = (): SimDispatch => {
    if (made.dispatcher === undefined) throw new Error('the dispatcher is made before anybody asks it');
    return made.dispatcher.dispatch;
  };
  let token: string | undefined;
  const world = createRunnersWorld({
    ...options,
    transportFor: (actor) => (request) => createKernelDispatchTransport(dispatch(), actor)(request),
    tokenFor: () => {
      token ??= mintToken(world);
      return token;
    },
    observer: {
      onRequest: ({ attempt }) => {
        if (attempt.on !== 'resource' || attempt.resource !== 'pods' || READING.includes(attempt.verb)) return;
        made.dispatcher?.seePods(world.operator.list(PODS), attempt.user.name);
      },
    },
  });
  const { kernel, plane, operator } = world;
  for (const right of renderDispatchRights(RUNNERS_NAMESPACE)) operator.apply(right);
  operator.create(`/api/v1/namespaces/${RUNNERS_NAMESPACE}/serviceaccounts`, {
    metadata: { name: RUNNERS_ACCOUNT.name },
  });
  const dispatcher = createWorldDispatch({
    ...{ kernel, api: () => plane.api, controller: RUNNERS_ACCOUNT, protocol: options.protocol ?? 2 },
  });
  made.dispatcher = dispatcher;
  const names = Array.from({ length: options.macs }, (_, at) => `mac-${at + 1}`);
  const macs = new Map(names.map((name) => [name, startMac(name, { world, dispatcher, images: options.images })]));
  const checker = createRecordChecker({
    isFleet: (by) => by === RUNNERS_USER.name,
    aliveMax: () => options.aliveMax,
  });
  return { world, dispatch: dispatcher.dispatch, checker, macs };
};

interface MacGround {
  readonly world: FleetWorld;
  readonly dispatcher: WorldDispatch;
  readonly images: readonly string[];
}

const BOOT_MS = 5_000;

/** It is a Node of the fleet as soon as its agent runs. */
const startMac = (nodeName: string, { world, dispatcher, images }: MacGround): StepMac => {
  const { clock, random } = world.kernel.actor(nodeName);
  const mac = createStepMac({ clock, random, guestPrograms: dispatcher.guestPrograms });
  for (const folder of MAC_FOLDERS) mac.files.now.makeFolder(folder);
  mac.configure({
    images: Object.fromEntries(images.map((image) => [image, { script: DISPATCH_POLL, bootMs: BOOT_MS }])),
  });
  const run = async (actor: Actor): Promise<void> => {
    const client = world.clientAs(actor, nodeUser(nodeName));
    const labels = { [LABELS.fleet]: RUNNER_FLEET };
    const facts = { nodeName, providerId: `scw-applesilicon://fr-par-1/${nodeName}`, bootId: '1', labels };
    const life = neverAborted();
    const ports = await createKubeletPorts(actor, {
      ...{ client, mac, seen: seenBy(actor, mac), login: 'always', life },
      ...facts,
    });
    await createKubelet(ports).run(life);
  };
  world.kernel.boot(`kubelet-${nodeName}`, (actor) => Promise.resolve(actor.daemon('kubelet', () => run(actor))));
  return mac;
};

/** As a Pod of the controller gets it mounted. */
const mintToken = ({ plane }: FleetWorld): string => {
  const { namespace, name } = RUNNERS_ACCOUNT;
  const { body } = plane.api.handle({
    ...{ method: 'POST', path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, user: ADMIN },
    ...{
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ spec: { expirationSeconds: 86_400 } }),
    },
  });
  const answer: unknown = JSON.parse(typeof body === 'string' ? body : '{}');
  const status = isRecord(answer) ? answer['status'] : undefined;
  const token = isRecord(status) ? status['token'] : undefined;
  return typeof token === 'string' ? token : '';
};
