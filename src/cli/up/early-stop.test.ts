/** Ctrl-C while `up` still starts: what stays is said as later, and nothing is left running. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createSystemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { createSystemRandom } from '../../base/random.ts';
import type { AnsweredRequest } from '../../controlplane/auth/audit.ts';
import { runRecorded } from '../testing/run-recorded.ts';
import { createChaosProvider } from './chaos/chaos-provider.ts';
import type { FleetOptions } from './fleet-parts.ts';
import { startFleet } from './start-fleet.ts';

const BIN = join(import.meta.dirname, '..', '..', '..', 'bin', 'macfleet.ts');
const LIMIT = { timeout: 60_000 };
const scratch = mkdtempSync(join(tmpdir(), 'macfleet-early-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** Starts `up` and sends it what Ctrl-C sends, as soon as it has said that. */
const interrupt = async (args: readonly string[], when: RegExp, signal: AbortSignal) => {
  const child = spawn(process.execPath, [BIN, 'up', '--macs-as', 'step-level', ...args], { signal });
  const ended = once(child, 'close');
  let [stdout, stderr, isSent] = ['', '', false];
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
    if (!isSent && when.test(stdout)) isSent = child.kill('SIGINT');
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const [exitCode] = await ended;
  return { exitCode, stdout, stderr };
};

const FIRST_LINE = /^API server ready/;
/** The kinds are there, and work is given to the fleet. */
const STARTED = /^kubeconfig: /m;
const PICTURE = /^ *\d+\.\ds {2}/m;
const NOTHING = /^Stopping: .*Ctrl-C again stops at once\.\nStopped after \d+\.\d s\. Nothing of it is left\.\n$/m;

describe('up that is stopped before it shows anything', { ...LIMIT, concurrency: true }, () => {
  for (const [when, moment] of [
    ['with its first line', FIRST_LINE],
    ['when it gives the fleet its work', STARTED],
  ] as const) {
    it(`says that nothing is left, and succeeds: ${when}`, async ({ signal }) => {
      const { exitCode, stdout, stderr } = await interrupt([], moment, signal);
      assert.deepEqual([exitCode, stderr], [0, '']);
      assert.match(stdout, NOTHING);
      assert.doesNotMatch(stdout, PICTURE);
    });
  }

  it('says where the fleet stays, and the next one goes on with it', async ({ signal }) => {
    const data = join(scratch, 'kept');
    const args = ['--data', data, '--fleet', 'macos', '--machines', '1', '--speed', '200'];
    const { exitCode, stdout, stderr } = await interrupt(args, FIRST_LINE, signal);
    assert.deepEqual([exitCode, stderr], [0, '']);
    assert.match(
      stdout,
      /^Stopped after .* s\. The fleet stays in \S+kept: `macfleet up --data \S+ --fleet macos` goes/m,
    );
    const next = await runRecorded(['up', ...args, '--until', 'ready', '--timeout', '40s'], signal);
    assert.equal(next.exitCode, 0, next.stderr);
  });

  it('fails as later where something was asked for, and says what stays too', async ({ signal }) => {
    const { exitCode, stdout, stderr } = await interrupt(['--until', 'ready'], FIRST_LINE, signal);
    assert.equal(exitCode, 130);
    assert.match(stdout, /^Stopped after \d+\.\d s\. Nothing of it is left\.\n$/m);
    assert.match(stderr, /^error: stopped before it was ready\n[\s\S]*code: Cancelled/);
    const later = await interrupt(['--until', 'ready', '--speed', '1'], PICTURE, signal);
    assert.deepEqual([later.exitCode, later.stderr], [exitCode, stderr]);
    assert.match(later.stdout, /^Not ready yet:\n[\s\S]*^Stopped after .* Nothing of it is left\.\n$/m);
  });

  it('says it of chaos too, which was to end with a verdict', {
    skip: process.platform === 'linux' ? false : 'chaos needs Linux',
  }, async ({ signal }) => {
    const { exitCode, stdout, stderr } = await interrupt(['--chaos'], FIRST_LINE, signal);
    assert.equal(exitCode, 130, stderr);
    assert.match(stdout, /^Stopped after \d+\.\d s\. Nothing of it is left\.\n$/m);
  });

  it('says it in JSON where that was asked for', async ({ signal }) => {
    const { stdout } = await interrupt(['--json'], /API server ready/, signal);
    const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
    assert.match(last.text, /^Stopped after .* Nothing of it is left\.$/);
  });

  it('has done nothing when it is stopped before it began, not even --clean', async ({ signal }) => {
    const [data, none] = [join(scratch, 'cleaned'), join(scratch, 'none')];
    await runRecorded(['up', '--data', data, '--fleet', 'macos', '--machines', '1', '--until', 'ready'], signal);
    const kept = readFileSync(join(data, 'simulation.json'), 'utf8');
    const stopped = AbortSignal.abort();
    const cleaned = await runRecorded(['up', '--data', data, '--clean'], stopped);
    assert.match(cleaned.stdout, /The fleet stays in /);
    assert.equal(readFileSync(join(data, 'simulation.json'), 'utf8'), kept);
    const fresh = await runRecorded(['up', '--data', none], stopped);
    assert.match(fresh.stdout, /Nothing of it is left\.\n$/);
    assert.equal(existsSync(none), false);
  });
});

const deps = { clock: createSystemClock(), random: createSystemRandom(), logger: silentLogger };

/** Starts a fleet that stops when it is told of that request. */
const startUntil = async (
  isLast: (request: AnsweredRequest, count: number) => boolean,
  provider: FleetOptions['provider'],
): Promise<'stopped' | 'started'> => {
  const stop = new AbortController();
  let count = 0;
  const onRequest = (request: AnsweredRequest): void => {
    count += 1;
    if (isLast(request, count)) stop.abort();
  };
  const fleet = await startFleet(
    {
      ...{ ...deps, macs: 2, port: 0, speedUp: 100, provider, agents: 'tart-kubelet', onRequest },
      ...{ fleets: FLEETS, runners: { jobSpeedUp: 100, guestSpeedUp: 4 } },
    },
    stop.signal,
  ).catch((error: unknown) => {
    assert.equal(stop.signal.aborted, true, String(error));
    return undefined;
  });
  await fleet?.stop();
  return fleet === undefined ? 'stopped' : 'started';
};

const FLEETS = ['macos', 'runners'];
/** Every how many requests of a start one is tried at. */
const STRIDE = 9;

describe('a fleet that is stopped while it starts', LIMIT, () => {
  /** The system tells of closed handles some turns later. */
  const assertNoServer = async (when: string): Promise<void> => {
    const left = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
    for (let turns = 0; turns < 100 && left() > 0; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(left(), 0, when);
  };

  it('leaves nothing listening, at whichever request', async ({ signal }) => {
    let stops = 0;
    for (let at = 1; (await startUntil((_, count) => count === at, 'here')) === 'stopped'; at += STRIDE) {
      await assertNoServer(`after request ${at}`);
      signal.throwIfAborted();
      stops += 1;
    }
    assert.ok(stops > 3, `only ${stops} were stopped`);
  });

  it('leaves nothing listening with chaos, whose Macs are there when it gets its keys', {
    skip: process.platform === 'linux' ? false : 'chaos needs Linux',
  }, async () => {
    const provider = createChaosProvider({
      ...{ ...deps, fleets: FLEETS, speedUp: 300, macs: 2, folder: scratch, env: process.env },
      ...{ onLine: () => undefined, onReady: () => assert.fail('it was stopped before') },
    });
    const isKey = ({ attempt }: AnsweredRequest): boolean =>
      attempt.on === 'resource' && attempt.resource === 'secrets' && attempt.verb === 'create';
    assert.equal(await startUntil(isKey, provider), 'stopped');
    await assertNoServer('after the first key');
  });
});
