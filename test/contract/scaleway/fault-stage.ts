/** One simulated server behind the adapter, in process, with time that a story lets pass. */
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { neverAborted } from '../../../src/base/abort.ts';
import { FleetError } from '../../../src/base/errors.ts';
import { createSeededRandom } from '../../../src/base/random.ts';
import { createManualClock } from '../../../src/base/testing/manual-clock.ts';
import type { Cloud, ServerAccess } from '../../../src/scaleway/port/cloud.ts';
import { createSimCloudPort } from '../../../src/scaleway/testing/sim-cloud-port.ts';
import { createSimCloud, type SimCloud } from '../../../src/sim/cloud/sim-cloud.ts';
import type { SimServer } from '../../../src/sim/cloud/sim-server.ts';

export const signal = neverAborted();

export interface FaultStage {
  readonly cloud: Cloud;
  readonly core: SimCloud;
  readonly server: SimServer;
  /** What happened to the Mac since the beginning, one word each. */
  readonly power: readonly string[];
  pass(ms: number): void;
  /** The answer, with all the time that retries and waits need. */
  settled<T>(call: Promise<T>): Promise<T>;
  /** Lets everything happen that needs no time to pass. */
  turns(): Promise<void>;
  look(): Promise<ServerAccess>;
  /** Kind and code of the refusal. */
  refused(call: Promise<unknown>): Promise<string>;
  /** The refusal itself. */
  error(call: Promise<unknown>): Promise<FleetError>;
  /** The writes that reached the API, with their outcomes. */
  writes(): readonly string[];
}

export const createFaultStage = (): FaultStage => {
  const clock = createManualClock();
  const core = createSimCloud({ clock, random: createSeededRandom(1) });
  const server = core.addServer({ name: 'pool-a' });
  core.addServer({ name: 'pool-b' });
  const power: string[] = [];
  core.onPower((event) => {
    if (event.server.id === server.id) power.push(event.kind);
  });
  const cloud = createSimCloudPort(core, { clock, latencyMs: 0 });
  const settled = async <T>(call: Promise<T>): Promise<T> => {
    let isSettled = false;
    const watched = call.finally(() => {
      isSettled = true;
    });
    watched.catch(() => undefined);
    for (let second = 0; second < 120 && !isSettled; second += 1) {
      await turn();
      if (!isSettled) clock.advance(1_000);
    }
    return watched;
  };
  const error = async (call: Promise<unknown>): Promise<FleetError> => {
    const thrown = await settled(call).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(thrown instanceof FleetError, `answered, or not a FleetError: ${String(thrown)}`);
    return thrown;
  };
  return {
    ...{ cloud, core, server, power, settled, error },
    pass: (ms) => clock.advance(ms),
    turns: async () => {
      for (let count = 0; count < 10; count += 1) await turn();
    },
    look: () => settled(cloud.getServer(server, signal)),
    refused: async (call) => {
      const { kind, code } = await error(call);
      return `${kind} ${code}`;
    },
    writes: () => core.audit().map(({ verb, outcome }) => `${verb} ${outcome}`),
  };
};
