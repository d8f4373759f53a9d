/** What the manager says of itself in its metrics: how often it looked at objects, and how often it wrote. */
import { neverAborted } from '../../../src/base/abort.ts';
import { createSystemClock, sleep } from '../../../src/base/clock.ts';

export interface ManagerCounts {
  /** Passes over hosts and machines; the inventory, which only time wakes, is not among them. */
  readonly reconciles: number;
  /** Requests that change something; the renewals of the leader lease, which are the only PUTs, are not among them. */
  readonly writes: number;
}

const COUNTED =
  /^controller_runtime_reconcile_total\{.*controller="(machosts\.life|scalewayapplesiliconmachines\.lifecycle)"/;
const WRITES = /^rest_client_requests_total\{.*method="(POST|PATCH|DELETE)"/;

export const readCounts = async (port: number): Promise<ManagerCounts> => {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  const lines = (await response.text()).split('\n');
  return { reconciles: sumOf(lines, COUNTED), writes: sumOf(lines, WRITES) };
};

const sumOf = (lines: readonly string[], pattern: RegExp): number =>
  lines.filter((line) => pattern.test(line)).reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);

const LOOK_EVERY_MS = 100;
const TIMEOUT_MS = 20_000;

export const untilCounts = async (
  port: number,
  fact: string,
  isSo: (counts: ManagerCounts) => boolean,
): Promise<void> => {
  const clock = createSystemClock();
  const deadlineMs = clock.elapsed() + TIMEOUT_MS;
  for (;;) {
    const counts = await readCounts(port);
    if (isSo(counts)) return;
    if (clock.elapsed() > deadlineMs) throw new Error(`the manager never ${fact}: ${JSON.stringify(counts)}`);
    await sleep(clock, LOOK_EVERY_MS, neverAborted());
  }
};
