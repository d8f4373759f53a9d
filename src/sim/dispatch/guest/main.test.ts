/** The guest as a program: a real process, over real sockets, with the shares of its VM. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createSystemClock } from '../../../base/clock.ts';
import { createSystemRandom } from '../../../base/random.ts';
import { createNoCluster } from '../no-cluster.ts';
import { serveDispatch } from '../serve-dispatch.ts';
import { createSimDispatch } from '../sim-dispatch.ts';
import { CONTROLLER, POOL } from '../testing/dispatch-stage.ts';

const MAIN = join(import.meta.dirname, 'main.ts');
const SPEED = 100;

const start = async (t: TestContext) => {
  const clock = createSystemClock();
  const dispatch = createSimDispatch({
    ...{ clock, random: createSystemRandom(), timeScale: 1 / SPEED, controller: CONTROLLER },
    view: createNoCluster(CONTROLLER),
  });
  const served = await serveDispatch({ clock, dispatch });
  const shares = mkdtempSync(join(tmpdir(), 'macfleet-guest-'));
  mkdirSync(join(shares, 'env'));
  writeFileSync(join(shares, 'env', 'sa_token'), `runner:${POOL}/r1\n`);
  const child = spawn(process.execPath, [MAIN], {
    env: { ...served.environment, SHARES: shares, TUIST_RUNNER_POD_NAME: 'r1', SIM_SPEED: String(SPEED) },
    stdio: ['ignore', 'pipe', 'inherit'],
    signal: t.signal,
  });
  let log = '';
  child.stdout.on('data', (chunk) => {
    log += String(chunk);
  });
  const ended = once(child, 'close').then(([code]: unknown[]) => code);
  t.after(async () => {
    child.kill('SIGKILL');
    dispatch.stop();
    await served.close();
    rmSync(shares, { recursive: true });
  });
  /** When it first asks for a job. */
  const asks = new Promise<void>((resolve) => {
    child.stdout.once('data', () => resolve());
  });
  return { dispatch, child, ended, asks, log: () => log };
};

describe('the guest as a program', { timeout: 60_000 }, () => {
  it('asks with the token of its share, runs the job and ends with 0', async (t) => {
    const { dispatch, ended, asks, log } = await start(t);
    await asks;
    dispatch.queue({ pool: POOL, durationMs: 60_000 });
    assert.equal(await ended, 0, log());
    assert.equal(dispatch.jobs()[0]?.conclusion, 'success');
    assert.match(log(), /waiting for a job \(204\)\nthe job has begun\nthe job has ended\n$/);
  });

  it('ends with 143 when it is told to shut down', async (t) => {
    const { child, ended, asks } = await start(t);
    await asks;
    child.kill('SIGTERM');
    assert.equal(await ended, 143);
  });

  it('ends with 1 when it is not let in', async (t) => {
    const { dispatch, ended, asks } = await start(t);
    await asks;
    dispatch.switchOn('denied');
    assert.equal(await ended, 1);
  });
});
