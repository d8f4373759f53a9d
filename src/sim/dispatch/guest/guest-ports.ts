/** What a simulated guest works with: its clock, the way to the dispatcher, its token and its log. */
import type { Clock } from '../../../base/clock.ts';
import type { DispatchTransport } from '../../../dispatch/port/transport.ts';

export interface GuestSettings {
  readonly dispatchUrl: string;
  readonly podName: string;
  /** 0: it waits for a job for ever. */
  readonly idleTimeoutMs: number;
  /** How much faster than life its own waits are. */
  readonly speed: number;
}

export interface GuestPorts {
  readonly clock: Clock;
  readonly transport: DispatchTransport;
  /** Read for every call: the Mac puts newer ones there. */
  readonly token: () => string;
  readonly print: (text: string) => void;
  readonly settings: GuestSettings;
  /** The guest is told to shut down, or loses its power. */
  readonly signal: AbortSignal;
}

/** By the environment that a runner's Pod has. */
export const readGuestSettings = (env: Readonly<Record<string, string | undefined>>): GuestSettings => ({
  dispatchUrl: env['TUIST_RUNNER_DISPATCH_URL'] ?? '',
  podName: env['TUIST_RUNNER_POD_NAME'] ?? '',
  idleTimeoutMs: Number(env['TUIST_RUNNER_IDLE_TIMEOUT_SECONDS'] ?? 0) * 1_000,
  speed: Number(env['SIM_SPEED'] ?? 1),
});
