/** Whether a process is ready: at once when nobody asked for a probe, else when an HTTP request says so. */
import type { Clock } from '../../../src/base/clock.ts';
import { probe as ask } from '../bench/probe.ts';
import type { HttpProbe } from './plan-process.ts';

export interface Readiness {
  isReady(): boolean;
  stop(): void;
}

/** A process that is still starting is asked more often than a ready one. */
const WHILE_STARTING_MS = 100;

export const watchReadiness = (
  clock: Clock,
  probe: (HttpProbe & { readonly host: string }) | undefined,
  changed: () => void,
): Readiness => {
  if (probe === undefined) return { isReady: () => true, stop: () => undefined };
  let isReady = false;
  let failures = 0;
  let isStopped = false;
  let cancelNext = (): void => undefined;
  const tell = (next: boolean): void => {
    if (next === isReady) return;
    isReady = next;
    changed();
  };
  const look = async (): Promise<void> => {
    const status = (await ask(`http://${probe.host}:${probe.port}${probe.path}`)) ?? 0;
    if (isStopped) return;
    failures = status >= 200 && status < 400 ? 0 : failures + 1;
    if (failures === 0) tell(true);
    if (failures >= probe.failureThreshold) tell(false);
    cancelNext = clock.schedule(isReady ? probe.periodMs : WHILE_STARTING_MS, () => void look());
  };
  void look();
  return {
    isReady: () => isReady,
    stop: () => {
      isStopped = true;
      cancelNext();
    },
  };
};
