/**
 * One Mac with tart-kubelet on the virtual clock: the embedded API, the agent as an actor that can be killed at any effect, and a Mac
 * with Tart that lives on without it. `check` holds everything that must always be true of the two.
 */
import { neverAborted } from '../base/abort.ts';
import type { ResourceAttempt } from '../controlplane/auth/attempt.ts';
import { nodeUser } from '../controlplane/auth/user.ts';
import { createGuardedApi } from '../controlplane/control-plane.ts';
import { createStore } from '../controlplane/store/store.ts';
import { NODES, type Node, PODS } from '../kube/types/core.ts';
import type { Pod } from '../kube/types/pod.ts';
import { createKubelet, type Kubelet, type KubeletPorts } from '../kubelet/create-kubelet.ts';
import type { Actor } from '../sim/kernel/actor.ts';
import { createKernel, type Kernel, type KernelOptions } from '../sim/kernel/kernel.ts';
import { seenBy } from '../sim/tart/step/seen-by.ts';
import { createStepMac, type StepMac } from '../sim/tart/step/step-mac.ts';
import { renderDispatchRights } from './dispatch-rights.ts';
import { TRUE_PACE } from './fleet-pace.ts';
import { renderRights } from './identities.ts';
import { createKubeletJury, hasSource } from './kubelet-jury.ts';
import { createMacLogin, type MacLogin } from './kubelet-login.ts';
import { createKubeletPorts, MAC_FOLDERS } from './kubelet-ports.ts';
import { createOperator, type Operator } from './operator.ts';
import { createWorldDispatch, type WorldDispatch } from './world-dispatch.ts';
import { openWorldClient } from './world-login.ts';

export interface KubeletWorldOptions extends KernelOptions {
  /** What the agent works with, where a test wants it otherwise: a mutant. */
  readonly adjust?: (ports: KubeletPorts) => KubeletPorts;
  /** Is told of each life of the agent, before it runs. */
  readonly begun?: (kubelet: Kubelet) => void;
  /** Is there a job dispatcher, and of which protocol: images whose script is `dispatch-poll` are runners'. */
  readonly dispatch?: 1 | 2;
  /** Has the Mac a loginwindow that may die; otherwise somebody is always logged in. */
  readonly login?: 'modelled';
}

export interface AgentWrite extends ResourceAttempt {
  /** HTTP status of the answer. */
  readonly code: number;
}

export interface KubeletWorld {
  readonly kernel: Kernel;
  readonly mac: StepMac;
  readonly login: MacLogin;
  readonly operator: Operator;
  pods(): readonly Pod[];
  pod(name: string): Pod | undefined;
  /** The Node of this Mac. */
  node(): Node | undefined;
  /** Where there is one. */
  readonly dispatcher: WorldDispatch | undefined;
  /** Every command of Tart that ended or runs, words joined by blanks. */
  readonly commands: readonly string[];
  /** How often each VM was started. */
  readonly starts: ReadonlyMap<string, number>;
  /** Writes of the agent, without its heartbeat. */
  readonly writes: readonly AgentWrite[];
  /** launchd tells the agent to stop because the Mac shuts down. */
  goDown(): void;
  /** A VM whose Pod a person takes away by force is the agent's to end, not its fault. */
  excuse(uid: string): void;
  /** Throws when a promise is broken. */
  check(): void;
}

export const NODE_NAME = 'mac-1';
const CONTROLLER = { namespace: 'tuist', name: 'runners-controller' };

export const createKubeletWorld = (options: KubeletWorldOptions): KubeletWorld => {
  const kernel = createKernel(options);
  const { clock, random, logger } = kernel.actor('world');
  const writes: AgentWrite[] = [];
  let held: readonly Pod[] | undefined;
  const starts = new Map<string, number>();
  const user = nodeUser(NODE_NAME);
  const { api } = createGuardedApi({
    ...{ store: createStore(), clock, random: random.stream('api'), logger },
    onRequest: (request) => {
      const { attempt } = request;
      if (!READING.includes(attempt.verb)) held = undefined;
      if (!READING.includes(attempt.verb)) dispatcher?.seePods(operator.list(PODS), attempt.user.name);
      if (attempt.on !== 'resource' || attempt.user.name !== user.name || attempt.resource === 'leases') return;
      if (!READING.includes(attempt.verb)) writes.push({ ...attempt, code: request.code });
    },
  });
  const operator = createOperator(api, 'default');
  const commands: string[] = [];
  const login = createMacLogin(clock, (state) => mac.configure({ noGuiSession: state === 'ended' }));
  const dispatcher: WorldDispatch | undefined =
    options.dispatch &&
    createWorldDispatch({ ...{ kernel, api: () => api, controller: CONTROLLER }, protocol: options.dispatch });
  const { guestPrograms = {} } = dispatcher ?? {};
  const step = createStepMac({ clock, random: random.stream('mac'), otherCommand: login.answer, guestPrograms });
  const cloning = new Set<string>();
  const mac = noteCommands(step, { starts, commands, cloning });
  for (const folder of MAC_FOLDERS) mac.files.now.makeFolder(folder);
  furnish(operator, dispatcher);
  const { adjust = (ports) => ports } = options;
  let tellGoDown = (): void => undefined;
  const run = async (actor: Actor): Promise<void> => {
    const client = openWorldClient(actor, TRUE_PACE, { server: (request) => api.handle({ ...request, user }) });
    const ports = await createKubeletPorts(actor, {
      ...{ client, mac, seen: seenBy(actor, mac), life: neverAborted() },
      ...{ nodeName: NODE_NAME, providerId: `scw-applesilicon://fr-par-1/${NODE_NAME}`, labels: {}, bootId: '1' },
      login: options.login ?? 'always',
    });
    const kubelet = createKubelet(adjust(ports));
    options.begun?.(kubelet);
    tellGoDown = () => actor.task('goes down', () => kubelet.goDown(neverAborted()));
    await kubelet.run(neverAborted());
  };
  kernel.boot('kubelet', (actor) => Promise.resolve(actor.daemon('kubelet', () => run(actor))));
  /** Asked after every event: read anew only when something was written. */
  const pods = (): readonly Pod[] => {
    held ??= operator.list(PODS);
    return held;
  };
  const node = (): Node | undefined => operator.list(NODES).find(({ metadata }) => metadata.name === NODE_NAME);
  const jury = createKubeletJury({
    ...{ clock, mac, pods, cloning: () => cloning },
    ...(options.login === 'modelled' && { session: { isThere: login.hasSession, node } }),
  });
  return {
    ...{ kernel, mac, login, operator, dispatcher, starts, commands, writes, pods, ...jury },
    ...{ goDown: () => tellGoDown(), node },
    pod: (name) => pods().find(({ metadata }) => metadata.name === name),
  };
};

/** The rights of all who work here, and the account that Pods without one of their own have. */
const furnish = (operator: Operator, dispatcher: WorldDispatch | undefined): void => {
  const dispatchRights = dispatcher === undefined ? [] : renderDispatchRights('default');
  for (const right of [...renderRights('default'), ...dispatchRights]) operator.apply(right);
  operator.create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
};

const READING: readonly string[] = ['get', 'list', 'watch'];

interface Noted {
  readonly starts: Map<string, number>;
  readonly commands: string[];
  readonly cloning: Set<string>;
}

const noteCommands = (mac: StepMac, { starts, commands, cloning }: Noted): StepMac => ({
  ...mac,
  commands: {
    ...mac.commands,
    run: (command) => {
      const [, verb, from = ''] = command.argv;
      commands.push(command.argv.slice(1).join(' '));
      if (verb !== 'clone' || !hasSource(mac, from)) return mac.commands.run(command);
      cloning.add(from);
      return mac.commands.run(command).finally(() => cloning.delete(from));
    },
    startRecorded: (program) => {
      const vm = program.argv[2] ?? '';
      starts.set(vm, (starts.get(vm) ?? 0) + 1);
      return mac.commands.startRecorded(program);
    },
  },
});
