/**
 * Two-step I/O: a request takes effect at one moment, its answer arrives at a later one, and anything can happen in
 * between: a fault, the end of the caller, its change of mind. This is what makes a crash between any two awaits honest.
 */
import { abortable, throwIfAborted } from '../../base/abort.ts';
import { FleetError, toFleetError } from '../../base/errors.ts';
import { ANY_EPOCH, type Process } from './engine.ts';
import type { CallFault, Site } from './network.ts';
import { isAlive, type Life, type Wiring } from './wiring.ts';

export interface Call<T> {
  /** Names latency and faults (network.ts) and appears in the trace: "kube:PATCH". */
  readonly site: string;
  /**
   * What the other side does. A FleetError that it throws is its answer; anything else is a defect of the simulator
   * and fails the run. It may wait for events of its own.
   */
  readonly effect: () => T | Promise<T>;
  /** The actor on the other side: the effect waits while it is frozen and is refused while it is down. */
  readonly to?: string;
  /** Giving up: the call rejects at once; a request on its way may still take effect. */
  readonly signal?: AbortSignal;
  /** Called with a result that reached nobody, so that it can be closed. */
  readonly discard?: (value: T) => void;
}

/** The index of an effect whose caller is gone: no crash point can be there. */
const NOT_COUNTED = -1;

interface Flight<T> {
  readonly wiring: Wiring;
  readonly caller: Life;
  readonly site: Site;
  readonly server: Process | undefined;
  readonly call: Call<T>;
  readonly fault: CallFault | undefined;
  readonly resolve: (value: T) => void;
  readonly reject: (error: FleetError) => void;
}

/** Settles only while the caller lives: a killed caller's promise stays pending for ever, as its process is gone. */
export const startCall = <T>(wiring: Wiring, caller: Life, call: Call<T>): Promise<T> => {
  const answer = new Promise<T>((resolve, reject) => {
    if (call.signal !== undefined) throwIfAborted(call.signal);
    if (!isAlive(caller)) return;
    const site = wiring.network.site(call.site, caller.process.name);
    const server = call.to === undefined ? undefined : wiring.process(call.to);
    send({ wiring, caller, site, server, call, fault: site.callFault(), resolve, reject });
  });
  return call.signal === undefined ? answer : abortable(answer, call.signal);
};

const send = <T>(flight: Flight<T>): void => {
  const { site, fault } = flight;
  const delayMs = site.latencyMs();
  if (fault === 'fail-before') {
    deliver(flight, { delayMs, step: 'lost', run: () => flight.reject(unreachable(site, 'the request was lost')) });
    return;
  }
  const effectMs = fault === 'late-effect' ? delayMs + site.lateMs : delayMs;
  arrive(flight, { delayMs: effectMs, step: 'effect', run: () => runEffect(flight) });
  if (fault !== 'duplicate') return;
  arrive(flight, { delayMs: delayMs + site.latencyMs(), step: 'duplicate', run: () => runDuplicate(flight) });
};

interface Moment {
  readonly delayMs: number;
  readonly step: string;
  readonly run: () => void;
}

/** An event at the other side. */
const arrive = <T>({ wiring, site, server }: Flight<T>, { delayMs, step, run }: Moment): void => {
  wiring.engine.schedule({ delayMs, label: `${site.name} ${step}`, owner: server, epoch: ANY_EPOCH, run });
};

/** An event at the caller. */
const deliver = <T>({ wiring, site, caller }: Flight<T>, { delayMs, step, run }: Moment): void => {
  const { process: owner, epoch } = caller;
  wiring.engine.schedule({ delayMs, label: `${site.name} ${step}`, owner, epoch, run });
};

const runEffect = <T>(flight: Flight<T>): void => {
  const { wiring, caller, site, server, call } = flight;
  const isWanted = isAlive(caller) && call.signal?.aborted !== true;
  if (!isWanted && !site.lands()) return;
  if (server?.isUp === false) {
    const run = (): void => flight.reject(unreachable(site, `${server.name} is down`));
    deliver(flight, { delayMs: site.latencyMs(), step: 'refused', run });
    return;
  }
  const index = isAlive(caller) ? caller.process.effects : NOT_COUNTED;
  if (wiring.crashHere(caller.process, 'before-effect', index)) return;
  if (isAlive(caller)) caller.process.effects += 1;
  const stopWatching = watchServer(flight);
  settle(call.effect, {
    onValue: (value) => {
      stopWatching();
      answer(flight, { index, run: () => flight.resolve(value), discard: () => call.discard?.(value) });
    },
    onError: (error) => {
      stopWatching();
      if (!(error instanceof FleetError)) wiring.fail(toFleetError(error));
      answer(flight, { index, run: () => flight.reject(toFleetError(error)), discard: () => undefined });
    },
  });
};

/** Without a wait when the effect had none: the state it left must be the state of this very event. */
const settle = <T>(
  effect: () => T | Promise<T>,
  { onValue, onError }: { readonly onValue: (value: T) => void; readonly onError: (error: unknown) => void },
): void => {
  let result: T | Promise<T>;
  try {
    result = effect();
  } catch (error) {
    onError(error);
    return;
  }
  if (result instanceof Promise) result.then(onValue, onError);
  else onValue(result);
};

/** While the other side works on a request, its death resets the connection. */
const watchServer = <T>(flight: Flight<T>): (() => void) => {
  const { server, site } = flight;
  if (server === undefined) return () => undefined;
  const onDeath = (): void => {
    server.closers.delete(onDeath);
    const run = (): void => flight.reject(unreachable(site, `${server.name} went away before it answered`));
    deliver(flight, { delayMs: site.latencyMs(), step: 'reset', run });
  };
  server.closers.add(onDeath);
  return () => server.closers.delete(onDeath);
};

const answer = <T>(
  flight: Flight<T>,
  { index, run, discard }: { readonly index: number; readonly run: () => void; readonly discard: () => void },
): void => {
  const { wiring, caller, site, call, fault } = flight;
  if (wiring.crashHere(caller.process, 'after-effect', index) || !isAlive(caller)) {
    discard();
    return;
  }
  const delayMs = site.latencyMs() + (fault === 'late-answer' ? site.lateMs : 0);
  if (fault === 'fail-after') {
    discard();
    deliver(flight, {
      delayMs,
      step: 'answer lost',
      run: () => flight.reject(unreachable(site, 'the answer was lost')),
    });
    return;
  }
  const arrived = (): void => (call.signal?.aborted === true ? discard() : run());
  deliver(flight, { delayMs, step: 'answer', run: arrived });
};

const runDuplicate = <T>({ wiring, server, call }: Flight<T>): void => {
  if (server?.isUp === false) return;
  settle(call.effect, {
    onValue: (value) => call.discard?.(value),
    onError: (error) => {
      if (!(error instanceof FleetError)) wiring.fail(toFleetError(error));
    },
  });
};

export const unreachable = (site: Site, why: string): FleetError =>
  new FleetError('unavailable', {
    code: 'ConnectionBroken',
    message: `${site.name} failed: ${why}`,
    details: { site: site.name },
  });
