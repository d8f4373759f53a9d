/**
 * The heart of the simulation: virtual time, the events to come, and the processes they are addressed to. Among events
 * of the same time one is picked by a recorded choice, so every legal interleaving can happen and can be repeated.
 * It knows nothing of promises: the run loop (run.ts) drains them between two events.
 */
import { assert } from '../../base/errors.ts';
import type { ChoiceSite } from './choices.ts';
import { createEventHeap } from './event-heap.ts';
import type { Trace } from './trace.ts';

/** A simulated operating system process. `epoch` counts its lives; an event for an earlier life is never delivered. */
export interface Process {
  readonly name: string;
  epoch: number;
  isUp: boolean;
  skewMs: number;
  frozenUntilMs: number;
  /** What arrived while frozen, in order. */
  readonly parked: SimEvent[];
  /** Called when this life ends: what the operating system would close. */
  readonly closers: Set<() => void>;
  /** How many events this actor received, and how many effects its calls had, over all lives. */
  deliveries: number;
  effects: number;
}

/** For events that reach whichever life is running: a request on the wire. */
export const ANY_EPOCH = -1;

export interface SimEvent {
  readonly atMs: number;
  readonly seq: number;
  /** Absent for what the world itself does. */
  readonly owner: Process | undefined;
  readonly epoch: number;
  readonly label: string;
  run: (() => void) | undefined;
}

export interface EventPlan {
  readonly delayMs: number;
  readonly label: string;
  readonly owner?: Process | undefined;
  /** The life of `owner` that is meant; its present one unless given. */
  readonly epoch?: number;
  readonly run: () => void;
}

export interface EngineDeps {
  readonly trace: Trace;
  readonly order: ChoiceSite;
  /** Asked before a delivery to a process; true when the process was killed instead. */
  readonly interceptDelivery: (process: Process) => boolean;
}

const isDead = ({ run, owner, epoch }: SimEvent): boolean =>
  run === undefined || (owner !== undefined && epoch !== ANY_EPOCH && epoch !== owner.epoch);

export class Engine {
  readonly #deps: EngineDeps;
  readonly #heap = createEventHeap<SimEvent>();
  /** The events of this very moment; those before `#head` are done. */
  readonly #ready: SimEvent[] = [];
  #head = 0;
  #nowMs = 0;
  #seq = 0;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** The returned function takes the event back. */
  schedule({ delayMs, label, owner, epoch, run }: EventPlan): () => void {
    assert(Number.isFinite(delayMs), `an event needs a finite delay, "${label}" has ${delayMs}`);
    this.#seq += 1;
    const event: SimEvent = {
      atMs: this.#nowMs + Math.max(0, delayMs),
      seq: this.#seq,
      owner,
      epoch: epoch ?? owner?.epoch ?? ANY_EPOCH,
      label,
      run,
    };
    this.#heap.push(event);
    return () => {
      event.run = undefined;
    };
  }

  /** Delivers the next event, or says why there is none up to `limitMs`, where time then stands. */
  step(limitMs: number): 'delivered' | 'idle' | 'limit' {
    for (;;) {
      this.#gatherReady();
      const event = this.#takeReady();
      if (event === undefined) {
        const next = this.#heap.peek();
        if (next === undefined) return 'idle';
        this.#nowMs = Math.min(next.atMs, limitMs);
        if (next.atMs > limitMs) return 'limit';
      } else if (event.owner !== undefined && this.#isFrozen(event.owner)) {
        event.owner.parked.push(event);
      } else if (!isDead(event)) {
        this.#deliver(event);
        return 'delivered';
      }
    }
  }

  forEachPending(visit: (event: SimEvent) => void): void {
    const visitAlive = (event: SimEvent): void => {
      if (!isDead(event)) visit(event);
    };
    this.#heap.forEach(visitAlive);
    for (let at = this.#head; at < this.#ready.length; at += 1) {
      const event = this.#ready[at];
      if (event !== undefined) visitAlive(event);
    }
  }

  /** Nothing reaches the process for so long; then everything does, in order. */
  freeze(process: Process, forMs: number): void {
    process.frozenUntilMs = Math.max(process.frozenUntilMs, this.#nowMs + forMs);
    this.#scheduleThaw(process);
  }

  /** Ends a freeze because the process died: requests on the wire find out, the rest is lost. */
  dropFrozen(process: Process): void {
    process.frozenUntilMs = this.#nowMs;
    for (const { epoch, owner, label, run } of process.parked.splice(0)) {
      if (epoch === ANY_EPOCH && run !== undefined) this.schedule({ delayMs: 0, epoch, owner, label, run });
    }
  }

  #gatherReady(): void {
    const heap = this.#heap;
    for (let top = heap.peek(); top !== undefined && (isDead(top) || top.atMs <= this.#nowMs); top = heap.peek()) {
      heap.pop();
      if (!isDead(top)) this.#ready.push(top);
    }
  }

  /** Swapping the pick with the oldest keeps this O(1); a choice of 0 is always the event at the head. */
  #takeReady(): SimEvent | undefined {
    const ready = this.#ready;
    const oldest = ready[this.#head];
    if (oldest === undefined) return undefined;
    const count = ready.length - this.#head;
    const at = this.#head + (count > 1 ? this.#deps.order.pick(count) : 0);
    const picked = ready[at];
    ready[at] = oldest;
    this.#head += 1;
    if (this.#head === ready.length) {
      ready.length = 0;
      this.#head = 0;
    }
    return picked;
  }

  #deliver(event: SimEvent): void {
    const { owner, label, run } = event;
    if (owner !== undefined && this.#deps.interceptDelivery(owner) && event.epoch !== ANY_EPOCH) return;
    if (owner !== undefined) owner.deliveries += 1;
    this.#deps.trace.add({ atMs: this.#nowMs, actor: owner?.name ?? 'world', label });
    run?.();
  }

  #isFrozen(process: Process): boolean {
    return process.frozenUntilMs > this.#nowMs || process.parked.length > 0;
  }

  #scheduleThaw(process: Process): void {
    const delayMs = process.frozenUntilMs - this.#nowMs;
    this.schedule({ delayMs, label: `thaw ${process.name}`, run: () => this.#thaw(process) });
  }

  /** One parked event per event of the world: a thawed process interleaves with the others and sees its own in order. */
  #thaw(process: Process): void {
    if (this.#nowMs < process.frozenUntilMs) return;
    const event = process.parked.shift();
    if (event === undefined) return;
    if (process.parked.length > 0) this.#scheduleThaw(process);
    if (!isDead(event)) this.#deliver(event);
  }
}
