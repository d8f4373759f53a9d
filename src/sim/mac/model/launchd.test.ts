/** launchd through launchctl: jobs that start, die, come back, and are held back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../../base/testing/manual-clock.ts';
import { createLaunchctl } from './launchctl.ts';
import { BTM_REGISTRATIONS_MAX, createLaunchd, type ProcessEnd } from './launchd.ts';
import { type PlistDict, renderPlist } from './plist.ts';
import { createMemoryFiles } from './testing/memory-files.ts';
import { commandRunner } from './testing/run-command.ts';

const LABEL = 'dev.test.job';
const PLIST = `/Library/LaunchDaemons/${LABEL}.plist`;
const jobWith = (more: PlistDict = {}): string =>
  renderPlist({ Label: LABEL, ProgramArguments: ['/bin/job'], RunAtLoad: true, KeepAlive: true, ...more });

interface Fake {
  readonly pid: number;
  readonly signals: string[];
  end(end?: Partial<ProcessEnd>): Promise<void>;
}

const stage = () => {
  const files = createMemoryFiles({ [PLIST]: jobWith() });
  const clock = createManualClock();
  const started: Fake[] = [];
  const launchd = createLaunchd({
    ...{ files, clock },
    startProcess: () => {
      const exited = Promise.withResolvers<ProcessEnd>();
      const signals: string[] = [];
      const fake: Fake = {
        ...{ pid: 100 + started.length, signals },
        end: async (end = {}) => {
          exited.resolve({ code: 0, reason: 'exit', ...end });
          await settle();
        },
      };
      started.push(fake);
      const kill = (signal: string): void => {
        signals.push(signal);
        exited.resolve({ code: signal === 'KILL' ? 9 : 15, reason: 'signal' });
      };
      return { pid: Promise.resolve(fake.pid), exited: exited.promise, kill };
    },
  });
  const loginWindow = { isAlive: () => true, hasSession: () => false, sessionsLost: () => 0, start() {}, stop() {} };
  const ssh = { restart: () => undefined };
  const run = commandRunner(createLaunchctl({ launchd, loginWindow, ssh }));
  const advance = async (seconds: number): Promise<void> => {
    clock.advance(seconds * 1000);
    await settle();
  };
  const bootstrap = () => run(`launchctl bootstrap system ${PLIST}`);
  const bootout = async () => {
    const answer = await run(`launchctl bootout system/${LABEL}`);
    await settle();
    return answer;
  };
  return { files, launchd, started, run, advance, bootstrap, bootout };
};

/** Lets promises that are settled be heard. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

test('a job starts when it is loaded, tells its number, and comes back not before its throttle', async () => {
  const { started, run, advance, bootstrap, launchd } = stage();
  assert.equal(await bootstrap(), '0');
  await settle();
  assert.match(await run(`launchctl print system/${LABEL}`), /state = running\n.*runs = 1\n\tpid = 100\n/s);
  await advance(3);
  await started[0]?.end({ code: 3 });
  assert.match(await run(`launchctl print system/${LABEL}`), /state = not running\n.*last exit code = 3\n/s);
  await advance(6);
  assert.equal(started.length, 1);
  await advance(1);
  assert.equal(started.length, 2);
  assert.equal(launchd.job(LABEL)?.pid, 101);
});

const keeping: readonly {
  readonly story: string;
  readonly plist: PlistDict;
  readonly code: number;
  readonly starts: number;
}[] = [
  { story: 'always, after a success', plist: { KeepAlive: true }, code: 0, starts: 2 },
  { story: 'never', plist: { KeepAlive: false }, code: 1, starts: 1 },
  { story: 'on failure, after one', plist: { KeepAlive: { SuccessfulExit: false } }, code: 1, starts: 2 },
  { story: 'on failure, after a success', plist: { KeepAlive: { SuccessfulExit: false } }, code: 0, starts: 1 },
  { story: 'every minute', plist: { KeepAlive: false, StartInterval: 60 }, code: 0, starts: 2 },
];
for (const { story, plist, code, starts } of keeping) {
  test(`kept alive ${story}: ${starts === 1 ? 'stays down' : 'comes back'}`, async () => {
    const { files, started, advance, bootstrap } = stage();
    files.write(PLIST, jobWith(plist));
    await bootstrap();
    await started[0]?.end({ code });
    await advance(60);
    assert.equal(started.length, starts);
  });
}

test('F48: a bootstrap on the heels of a bootout finds the old job still there', async () => {
  const { bootstrap, bootout, started, advance, run } = stage();
  await bootstrap();
  assert.equal(await bootout(), '0');
  assert.deepEqual(started[0]?.signals, ['TERM']);
  assert.equal(await bootstrap(), '37 Bootstrap failed: 37: Operation already in progress');
  await advance(1);
  assert.equal(await bootout(), '3 Boot-out failed: 3: No such process');
  assert.equal(
    await run(`launchctl print system/${LABEL}`),
    `113 Could not find service "${LABEL}" in domain for system`,
  );
  assert.equal(await bootstrap(), '0');
  assert.equal(await bootstrap(), '5 Bootstrap failed: 5: Input/output error', 'it is there already');
});

test('F48: past its cap a registered job neither starts nor comes back; kickstart starts it once, a boot forgives', async () => {
  const { bootstrap, bootout, started, advance, run, launchd } = stage();
  for (let at = 1; at <= BTM_REGISTRATIONS_MAX; at += 1) {
    assert.equal(await bootstrap(), '0');
    await bootout();
    await advance(1);
  }
  assert.equal(started.length, BTM_REGISTRATIONS_MAX);
  assert.equal(await bootstrap(), '0');
  await advance(60);
  assert.equal(started.length, BTM_REGISTRATIONS_MAX);
  assert.match(await run(`launchctl print system/${LABEL}`), /last exit code = \(never exited\)\n.*held back/s);
  await run(`launchctl kickstart -k system/${LABEL}`);
  assert.equal(started.length, BTM_REGISTRATIONS_MAX + 1);
  await started.at(-1)?.end();
  await advance(60);
  assert.equal(started.length, BTM_REGISTRATIONS_MAX + 1);
  launchd.shutDown();
  launchd.boot();
  assert.equal(launchd.job(LABEL)?.state, 'running');
});

test('004-3: kickstart -k gives a running job a new number and registers nothing', async () => {
  const { bootstrap, started, run, launchd } = stage();
  await bootstrap();
  await run(`launchctl kickstart system/${LABEL}`);
  assert.equal(started.length, 1, 'without -k a running job is left alone');
  assert.equal(await run(`launchctl kickstart -k system/${LABEL}`), '0');
  await settle();
  assert.deepEqual([started[0]?.signals, launchd.job(LABEL)?.pid, launchd.registrations(LABEL)], [['KILL'], 101, 1]);
});

test('a job that was told to start again is not started once the power is gone', async () => {
  const { bootstrap, started, run, launchd } = stage();
  await bootstrap();
  void run(`launchctl kickstart -k system/${LABEL}`);
  launchd.shutDown();
  await settle();
  assert.equal(started.length, 1);
});

const refused: readonly {
  readonly story: string;
  readonly text: string;
  readonly mode?: number;
  readonly says: RegExp;
}[] = [
  { story: 'that anybody could write', text: jobWith(), mode: 0o666, says: /^122 .*bad ownership/ },
  { story: 'that is none', text: '<plist>', says: /^5 / },
  { story: 'without a program', text: renderPlist({ Label: LABEL }), says: /^5 / },
];
for (const { story, text, mode = 0o644, says } of refused) {
  test(`launchd takes no plist ${story}`, async () => {
    const { files, bootstrap } = stage();
    files.write(PLIST, text, { mode });
    assert.match(await bootstrap(), says);
  });
}

test("a job of the graphical session is its user's and ends with the session", async () => {
  const { launchd, started, advance } = stage();
  assert.equal(launchd.bootstrap(PLIST, 'gui'), 'ok');
  assert.equal(launchd.job(LABEL)?.spec.user, 'm1');
  launchd.endSession();
  await settle();
  await advance(1);
  assert.deepEqual([started[0]?.signals, launchd.job(LABEL)], [['TERM'], undefined]);
});

test('m1 may look at jobs of the system and change none; without a session it has no domain of its own', async () => {
  const { bootstrap, run } = stage();
  await bootstrap();
  assert.match(await run(`m1: launchctl print system/${LABEL}`), /^0 /);
  assert.match(await run(`m1: launchctl bootout system/${LABEL}`), /^1 .*not permitted/);
  assert.match(await run('m1: launchctl print gui/501'), /^113 /);
  assert.match(await run('m1: launchctl bootstrap gui/501 /x.plist'), /^125 /);
});
