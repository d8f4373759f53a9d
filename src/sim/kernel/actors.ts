/** All processes of one kernel: how they begin, die and begin again, and where a planned crash strikes. */
import { assert, type FleetError } from '../../base/errors.ts';
import { createSeededRandom } from '../../base/random.ts';
import { type Actor, createActor, type UnfinishedTask } from './actor.ts';
import type { Choices } from './choices.ts';
import { Engine, type Process } from './engine.ts';
import type { Network } from './network.ts';
import type { Trace } from './trace.ts';
import type { CrashKind, Wiring } from './wiring.ts';

export interface CrashPoint {
  readonly actor: string;
  readonly kind: CrashKind;
  /** From 0; `counts` says how many there are in a run. */
  readonly index: number;
  /** The actor is booted again after so long. */
  readonly restartAfterMs: number;
}

/** Somewhere, once: at each effect of the actor a choice says whether it dies there. */
export interface ChosenCrash {
  readonly actor: string;
  readonly kind: 'chosen';
  readonly restartAfterMs: number;
}

/** What an actor does after each start. Its promise is a task: it must settle, or the actor must be killed. */
export type Program = (actor: Actor) => Promise<void>;

export interface ActorsDeps {
  readonly trace: Trace;
  readonly choices: Choices;
  readonly network: Network;
  readonly crash: CrashPoint | ChosenCrash | undefined;
  readonly startWallMs: number;
  readonly fail: (error: FleetError) => void;
}

export interface Actors {
  readonly engine: Engine;
  readonly unfinished: ReadonlySet<UnfinishedTask>;
  process(name: string): Process;
  actor(name: string): Actor;
  boot(name: string, program: Program): Actor;
  kill(name: string): void;
  restart(name: string, afterMs: number): void;
  hasCrashed(): boolean;
}

export const createActors = ({ crash, ...deps }: ActorsDeps): Actors => {
  const { trace, choices } = deps;
  const processes = createRegistry(createProcess);
  const programs = new Map<string, Program>();
  const unfinished = new Set<UnfinishedTask>();
  /** For each actor that is to live again, what takes that back. */
  const restarts = new Map<string, () => void>();
  let hasCrashed = false;

  const crashHere: Wiring['crashHere'] = (process, kind, index) => {
    if (hasCrashed || crash?.actor !== process.name || !isCrashPoint({ crash, choices }, kind, index)) return false;
    hasCrashed = true;
    restart(process.name, crash.restartAfterMs);
    return true;
  };
  const interceptDelivery = (process: Process): boolean => crashHere(process, 'before-delivery', process.deliveries);
  const engine = new Engine({ trace, order: choices.site('order'), interceptDelivery });
  const wiring: Wiring = { ...deps, engine, process: processes, crashHere };
  const actor = createHandles({ wiring, unfinished, choices, startWallMs: deps.startWallMs });

  const cancelRestart = (name: string): void => {
    restarts.get(name)?.();
    restarts.delete(name);
  };
  const kill = (name: string): void => {
    const victim = processes(name);
    cancelRestart(name);
    if (!victim.isUp) return;
    trace.add({ atMs: engine.nowMs, actor: 'world', label: `kill ${name}` });
    victim.isUp = false;
    victim.epoch += 1;
    engine.dropFrozen(victim);
    for (const close of [...victim.closers]) close();
    victim.closers.clear();
  };
  const start = (name: string): Actor => {
    processes(name).isUp = true;
    const started = actor(name);
    const program = programs.get(name);
    if (program !== undefined) started.task('main', () => program(started));
    return started;
  };
  const restart = (name: string, afterMs: number): void => {
    kill(name);
    const startAgain = (): void => {
      restarts.delete(name);
      start(name);
    };
    restarts.set(name, engine.schedule({ delayMs: afterMs, label: `restart ${name}`, run: startAgain }));
  };
  const boot = (name: string, program: Program): Actor => {
    assert(!programs.has(name), `actor ${name} was booted already; use restart`);
    programs.set(name, program);
    return start(name);
  };
  return { engine, unfinished, process: processes, actor, boot, kill, restart, hasCrashed: () => hasCrashed };
};

const isCrashPoint = (
  { crash, choices }: { readonly crash: CrashPoint | ChosenCrash; readonly choices: Choices },
  kind: CrashKind,
  index: number,
): boolean => {
  if (crash.kind !== 'chosen') return crash.kind === kind && crash.index === index;
  if (kind === 'before-delivery' || index < 0) return false;
  return choices.site(`crash ${kind} by ${crash.actor}`).pick(2) === 1;
};

const createRegistry = <T>(create: (name: string) => T): ((name: string) => T) => {
  const entries = new Map<string, T>();
  return (name) => {
    const entry = entries.get(name) ?? create(name);
    entries.set(name, entry);
    return entry;
  };
};

const createProcess = (name: string): Process => ({
  name,
  epoch: 0,
  isUp: true,
  skewMs: 0,
  frozenUntilMs: 0,
  parked: [],
  closers: new Set(),
  deliveries: 0,
  effects: 0,
});

interface HandleDeps {
  readonly wiring: Wiring;
  readonly unfinished: Set<UnfinishedTask>;
  readonly choices: Choices;
  readonly startWallMs: number;
}

/** One handle per life; its randomness depends on the actor's name, its life and one recorded choice. */
const createHandles = ({ choices, ...deps }: HandleDeps): ((name: string) => Actor) => {
  const handles = new Map<string, Actor>();
  return (name) => {
    const process = deps.wiring.process(name);
    const { epoch } = process;
    const known = handles.get(name);
    if (known?.epoch === epoch) return known;
    const random = createSeededRandom(`${name}/${epoch}/${choices.site(`seed ${name}`).pick(2 ** 32)}`);
    const handle = createActor({ process, epoch }, { ...deps, random });
    handles.set(name, handle);
    return handle;
  };
};
