/** The VM adapter on the simulated `tart`. The names of rows are those of the behaviour specification. */
import assert from 'node:assert/strict';
import { sleep } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import type { CommandPort } from '../host/command-port.ts';
import type { HostFiles } from '../host/host-files.ts';
import { type TartBench, testOnBoth, testOnProgram, testOnSteps } from './testing/tart-bench.ts';
import type { VmRun } from './vm-port.ts';

const IMAGE = 'ghcr.io/org/image:1';

const makeVm = async (bench: TartBench, vm: string): Promise<void> =>
  bench.vms.clone({ from: IMAGE, to: vm, signal: bench.signal });

const startVm = async (bench: TartBench, vm: string, script?: string): Promise<VmRun> => {
  await makeVm(bench, vm);
  return bench.vms.start(await bench.startOf(vm, script));
};

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof FleetError, `expected a refusal, got ${String(thrown)}`);
  return thrown.code;
};

testOnBoth('a VM runs its script to the end; its exit and its report are there', async (bench) => {
  const run = await startVm(bench, 'a', 'echo hello; exit 7');
  const exit = await run.exited;
  assert.equal(exit.code, 0);
  assert.ok(exit.atMs >= Math.floor(run.startedAtMs));
  const { logPath, shares } = await bench.startOf('a');
  assert.equal(await bench.files.readText(`${shares[1]?.path}/runner-rc`), '7\n');
  assert.equal(await bench.files.readText(`${shares[1]?.path}/runner.log`), 'hello\n');
  assert.match((await bench.files.readText(logPath)) ?? '', /guest has stopped the virtual machine/);
});

testOnBoth('a VM that runs has an address, answers programs and is listed', async (bench) => {
  await startVm(bench, 'a');
  assert.equal(await bench.vms.addressOf('a', bench.signal), '192.168.64.2');
  const ask = (script: string) =>
    bench.vms.exec({ vm: 'a', argv: ['/bin/sh', '-c', script], timeoutMs: 10_000, signal: bench.signal });
  assert.deepEqual(await ask('echo hi; exit 3'), { code: 3, stdout: 'hi\n', stderr: '' });
  const [vm] = await bench.vms.list(bench.signal);
  assert.deepEqual(vm, { name: 'a', running: true, sizeGb: 40, isGolden: false });
});

const withWords = (bench: TartBench): { readonly words: string[]; readonly cli: TartBench['cli'] } => {
  const words: string[] = [];
  const ask: TartBench['cli']['ask'] = (call) => {
    words.push(call.words.join(' '));
    return bench.cli.ask(call);
  };
  return { words, cli: { ...bench.cli, ask } };
};

testOnSteps('§9.2-3 a new serial number is one command, with the size or alone', async (bench) => {
  await makeVm(bench, 'a');
  const { words, cli } = withWords(bench);
  const { vms } = bench.again({ cli });
  const size = { cpus: 6, memoryMib: 16_384 };
  await vms.configure({ vm: 'a', signal: bench.signal });
  await vms.configure({ vm: 'a', randomSerial: true, signal: bench.signal });
  await vms.configure({ vm: 'a', ...size, randomSerial: true, signal: bench.signal });
  await vms.configure({ vm: 'a', ...size, signal: bench.signal });
  assert.deepEqual(words, [
    'set a --random-serial',
    'set a --cpu 6 --memory 16384 --random-serial',
    'set a --cpu 6 --memory 16384',
  ]);
});

testOnSteps('a serial number that cannot be changed is told; a size that cannot be is refused', async (bench) => {
  await makeVm(bench, 'a');
  const { words, cli } = withWords(bench);
  const ask: TartBench['cli']['ask'] = (call) =>
    call.words.includes('--random-serial')
      ? Promise.reject(new FleetError('unavailable', { code: 'TartFailed', message: 'no' }))
      : cli.ask(call);
  const { vms } = bench.again({ cli: { ...cli, ask } });
  const { serialKept } = await vms.configure({ vm: 'a', cpus: 6, randomSerial: true, signal: bench.signal });
  assert.equal(serialKept?.code, 'TartFailed');
  assert.deepEqual(words, ['set a --cpu 6']);
  const small = bench.vms.configure({ vm: 'a', cpus: 1, randomSerial: true, signal: bench.signal });
  assert.equal(await codeOf(small), 'VmTooSmall');
});

testOnBoth('§9.2-5 only the exact name counts as running', async (bench) => {
  await makeVm(bench, 'a');
  await startVm(bench, 'a-2');
  assert.deepEqual(await bench.vms.running(bench.signal), ['a-2']);
  assert.equal(await codeOf(bench.vms.addressOf('a', bench.signal)), 'VmNotRunning');
  await bench.vms.stop({ vm: 'a', graceMs: 0, signal: bench.signal });
  assert.deepEqual(await bench.vms.running(bench.signal), ['a-2']);
});

testOnBoth('an address of a VM that has ended is not believed', async (bench) => {
  const run = await startVm(bench, 'a');
  assert.equal(await bench.vms.addressOf('a', bench.signal), '192.168.64.2');
  await bench.vms.stop({ vm: 'a', graceMs: 0, signal: bench.signal });
  await run.exited;
  assert.equal(await codeOf(bench.vms.addressOf('a', bench.signal)), 'VmNotRunning');
});

testOnBoth('§9.2-6 a run that fails at once says so with its last words', async (bench) => {
  await bench.configure({ vmFaults: { a: { startFails: { afterMs: 100, code: 3 } } } });
  await makeVm(bench, 'a');
  await assert.rejects(bench.vms.start(await bench.startOf('a')), /exited immediately with code 3/);
});

testOnSteps('§9.2-6 a run that ends after the sanity window is a run that has ended', async (bench) => {
  await bench.configure({ vmFaults: { a: { runEnd: { afterMs: 5_100, code: 3 } } } });
  const run = await startVm(bench, 'a');
  assert.equal((await run.exited).code, 3);
});

testOnBoth('a run that a signal ends tells the signal', async (bench) => {
  await bench.configure({ vmFaults: { a: { runEnd: { afterMs: 300, signal: 'SIGKILL' } } } });
  const run = await startVm(bench, 'a');
  const { code, signal } = await run.exited;
  assert.deepEqual([code, signal], [undefined, 'SIGKILL']);
});

testOnBoth('without a session at the Mac the start says what is missing', async (bench) => {
  await bench.configure({ noGuiSession: true });
  await makeVm(bench, 'a');
  assert.equal(await codeOf(bench.vms.start(await bench.startOf('a'))), 'NoGuiSession');
});

testOnSteps('§9.2-7 the session is asked for once per start, and without it nothing is started', async (bench) => {
  await makeVm(bench, 'a');
  let asked = 0;
  const ensureSession = async (): Promise<void> => {
    asked += 1;
    throw new FleetError('unavailable', { code: 'GuiSessionMissing', message: 'nobody is logged in' });
  };
  const { vms } = bench.again({ ensureSession });
  await assert.rejects(vms.start(await bench.startOf('a')), /ensure gui session: nobody is logged in/);
  assert.equal(asked, 1);
  assert.deepEqual(await bench.files.list(`${bench.folder}/records`), []);
});

testOnBoth('never a third VM, whoever started the others, and never one twice', async (bench) => {
  await startVm(bench, 'a');
  await makeVm(bench, 'orphan');
  await bench.commands.startRecorded({
    argv: [bench.cli.binary, 'run', '--no-graphics', 'orphan'],
    recordDir: `${bench.folder}/logs`,
    logPath: `${bench.folder}/logs/orphan.log`,
  });
  await bench.until(async () => (await bench.vms.running(bench.signal)).length === 2);
  await makeVm(bench, 'c');
  await assert.rejects(
    bench.vms.start(await bench.startOf('c')),
    /c would be one VM too many: a, orphan run, and 2 may/,
  );
  assert.equal(await codeOf(bench.vms.start(await bench.startOf('a'))), 'VmAlreadyRuns');
});

testOnSteps('of three starts at the same moment two succeed', async (bench) => {
  for (const vm of ['a', 'b', 'c']) await makeVm(bench, vm);
  const starts = await Promise.allSettled(['a', 'b', 'c'].map(async (vm) => bench.vms.start(await bench.startOf(vm))));
  assert.equal(starts.filter(({ status }) => status === 'fulfilled').length, 2);
});

testOnSteps('VMs that are being started count, though no process of them is to be seen yet', async (bench) => {
  for (const vm of ['a', 'b', 'c']) await makeVm(bench, vm);
  const look: HostFiles['look'] = async (path) => (path.endsWith('.sock') ? undefined : bench.files.look(path));
  const { vms } = bench.again({
    commands: { ...bench.commands, processes: async () => [] },
    files: { ...bench.files, look },
  });
  const starts = await Promise.allSettled(['a', 'b', 'c'].map(async (vm) => vms.start(await bench.startOf(vm))));
  assert.equal(starts.filter(({ status }) => status === 'fulfilled').length, 2);
  // Refused by us, and not by Tart.
  assert.equal((await bench.files.list(`${bench.folder}/records`)).length, 2);
});

testOnSteps('a place that became free while a VM was made is its own', async (bench) => {
  for (const vm of ['a', 'b']) await startVm(bench, vm, 'sleep 100');
  await makeVm(bench, 'c');
  const { signal } = bench;
  const beforeRun = (): Promise<void> => bench.vms.stop({ vm: 'a', graceMs: 0, signal });
  await bench.vms.start({ ...(await bench.startOf('c')), beforeRun });
  assert.deepEqual((await bench.vms.running(signal)).toSorted(), ['b', 'c']);
});

testOnBoth('another life of the agent adopts the run, sees its end, and knows it even afterwards', async (bench) => {
  const run = await startVm(bench, 'a', 'sleep 1; exit 4');
  const adopted = await bench.again().vms.adopt('a', bench.signal);
  assert.equal(adopted?.pid, run.pid);
  assert.equal(adopted?.startedAtMs, run.startedAtMs);
  assert.deepEqual(await adopted?.exited, await run.exited);
  const later = await bench.again().vms.adopt('a', bench.signal);
  assert.deepEqual(await later?.exited, await run.exited);
  assert.equal(await bench.vms.adopt('never-started', bench.signal), undefined);
});

testOnBoth('a stopped VM ends, and removing it forgets its run', async (bench) => {
  const run = await startVm(bench, 'a');
  await bench.vms.stop({ vm: 'a', graceMs: 1_000, signal: bench.signal });
  assert.equal((await run.exited).code, 0);
  await bench.vms.remove('a', bench.signal);
  assert.equal(await bench.vms.adopt('a', bench.signal), undefined);
  assert.deepEqual(await bench.vms.list(bench.signal), []);
  await bench.vms.remove('a', bench.signal);
});

testOnSteps('F93 a VM whose stop hangs, or which takes no interrupt, is ended by force', async (bench) => {
  await bench.configure({ vmFaults: { a: { stopHangs: true }, b: { ignoresStop: true } } });
  for (const vm of ['a', 'b']) {
    const run = await startVm(bench, vm);
    await bench.vms.stop({ vm, graceMs: 2_000, signal: bench.signal });
    assert.match((await run.exited).signal ?? '', /SIGTERM|SIGKILL/);
  }
});

testOnSteps('removing a VM that runs is refused', async (bench) => {
  await startVm(bench, 'a');
  assert.equal(await codeOf(bench.vms.remove('a', bench.signal)), 'VmRuns');
});

testOnSteps('F95 a guest whose agent is silent is told as such', async (bench) => {
  await bench.configure({ vmFaults: { a: { agentSilent: true } } });
  await startVm(bench, 'a');
  const exec = bench.vms.exec({ vm: 'a', argv: ['true'], timeoutMs: 1_000, signal: bench.signal });
  assert.equal(await codeOf(exec), 'GuestAgentSilent');
});

testOnSteps('F84 a VM without an address is told as such', async (bench) => {
  await bench.configure({ vmFaults: { a: { noAddress: true } } });
  await startVm(bench, 'a');
  assert.equal(await codeOf(bench.vms.addressOf('a', bench.signal)), 'VmHasNoAddress');
});

testOnBoth('§9.2-8 a VM with a screen tells its address, and the log shows no password', async (bench) => {
  await makeVm(bench, 'a');
  const start = await bench.startOf('a');
  await bench.vms.start({ ...start, graphics: 'vnc' });
  await bench.until(async () => (await bench.vms.vncOf('a')) !== undefined);
  const vnc = await bench.vms.vncOf('a');
  assert.equal(vnc?.host, '127.0.0.1');
  assert.match(vnc?.password ?? '', /^w\d+-w\d+-w\d+-w\d+$/);
  await bench.until(async () => ((await bench.files.readText(start.logPath)) ?? '') !== '');
  const log = await bench.files.readText(start.logPath);
  assert.match(log ?? '', /vnc:\/\/:REDACTED@127\.0\.0\.1:\d+/);
  assert.ok(log?.includes(vnc?.password ?? '') === false);
});

const TROUBLES: readonly (readonly [story: string, code: string, settings: object])[] = [
  ['hangs', 'TartHangs', { hangs: ['--version', 'list'] }],
  ['prints garbage', 'TartGarbled', { garbles: ['--version', 'list'] }],
  ['is too old', 'TartTooOld', { version: '2.31.9' }],
];

for (const [story, code, settings] of TROUBLES) {
  testOnSteps(`a tart that ${story} is ${code}`, async (bench) => {
    await bench.configure(settings);
    assert.equal(await codeOf(bench.vms.version(bench.signal)), code);
    if (code !== 'TartTooOld') assert.equal(await codeOf(bench.vms.list(bench.signal)), code);
  });
}

testOnProgram('a tart that is missing is TartMissing', async (bench) => {
  await bench.files.remove(bench.cli.binary);
  assert.equal(await codeOf(bench.vms.version(bench.signal)), 'TartMissing');
});

testOnSteps('after a loss of power the run is known to have ended, and how is not', async (bench) => {
  const { startedAtMs } = await startVm(bench, 'a', 'sleep 100; exit 0');
  bench.losePower();
  const adopted = await bench.again().vms.adopt('a', bench.signal);
  assert.equal(adopted?.startedAtMs, startedAtMs);
  const { code, signal } = (await adopted?.exited) ?? {};
  assert.deepEqual([code, signal], [undefined, undefined]);
  assert.deepEqual(await bench.vms.running(bench.signal), []);
});

testOnSteps('F83 the end of a run is seen at once, however it comes', async (bench) => {
  for (const [vm, runEnd] of Object.entries({
    clean: { afterMs: 7_500, code: 0 },
    failed: { afterMs: 7_500, code: 1 },
    killed: { afterMs: 7_500, signal: 'SIGKILL' as const },
  })) {
    await bench.configure({ vmFaults: { [vm]: { runEnd } } });
    const run = await startVm(bench, vm);
    const { atMs } = await run.exited;
    assert.ok(bench.clock.now() - atMs <= 100, vm);
  }
});

testOnBoth('a suspended VM ends with its snapshot, and one that does not run cannot be suspended', async (bench) => {
  await makeVm(bench, 'a');
  const run = await bench.vms.start({ ...(await bench.startOf('a')), suspendable: true });
  await bench.vms.suspend('a', bench.signal);
  assert.equal((await run.exited).code, 0);
  const { logPath } = await bench.startOf('a');
  assert.match((await bench.files.readText(logPath)) ?? '', /snapshot created successfully/);
  assert.equal(await codeOf(bench.vms.suspend('a', bench.signal)), 'VmNotRunning');
});

testOnSteps('a socket that an earlier run left behind does not make a failed start a good one', async (bench) => {
  const first = await startVm(bench, 'a');
  await bench.vms.stop({ vm: 'a', graceMs: 0, signal: bench.signal });
  await first.exited;
  await bench.files.writeText(`${bench.tartHome}/vms/a/control.sock`, '');
  await sleep(bench.clock, 1_000, bench.signal);
  await bench.configure({ vmFaults: { a: { startFails: { afterMs: 300, code: 1 } } } });
  assert.equal(await codeOf(bench.vms.start(await bench.startOf('a'))), 'VmStartRefused');
});

testOnSteps('a process that has got the number of a lost one is not taken for it', async (bench) => {
  await startVm(bench, 'a');
  bench.losePower();
  const { vms } = bench.again({ commands: { ...bench.commands, isAlive: () => true } });
  const adopted = await vms.adopt('a', bench.signal);
  assert.equal((await adopted?.exited)?.code, undefined);
});

testOnSteps('the start of an adopted run is as exact as its record, not as the process table', async (bench) => {
  const { startedAtMs } = await startVm(bench, 'a');
  const processes: CommandPort['processes'] = async (signal) =>
    (await bench.commands.processes(signal)).map((process) => ({ ...process, startedAtMs: 0 }));
  const { vms } = bench.again({ commands: { ...bench.commands, processes } });
  assert.equal((await vms.adopt('a', bench.signal))?.startedAtMs, startedAtMs);
  await bench.files.remove(`${bench.folder}/records/a`);
  assert.equal((await vms.adopt('a', bench.signal))?.startedAtMs, 0);
});

/** Leaves programs in groups of their own, as a shell with job control does, and tells their numbers. */
const LEAVE_BEHIND = 'set -m; sleep 300 >/dev/null 2>&1 & echo $!; nohup sleep 300 >/dev/null 2>&1 & echo $!';

const ENDINGS: Readonly<Record<string, (bench: TartBench, run: VmRun) => Promise<void>>> = {
  'is stopped': (bench) => bench.vms.stop({ vm: 'a', graceMs: 0, signal: bench.signal }),
  'is killed': async (bench, run) => void bench.commands.kill(run.pid, 'SIGKILL'),
  'shuts down': async (bench) => {
    const argv = ['sudo', 'shutdown', '-h', 'now'] as const;
    await bench.vms.exec({ vm: 'a', argv, timeoutMs: 10_000, signal: bench.signal });
  },
};

for (const [story, end] of Object.entries(ENDINGS)) {
  testOnProgram(`nothing in a guest outlives a VM that ${story}`, async (bench) => {
    const run = await startVm(bench, 'a', 'sleep 300 & sleep 300');
    await bench.vms.addressOf('a', bench.signal);
    const argv = ['bash', '-c', LEAVE_BEHIND] as const;
    const { stdout } = await bench.vms.exec({ vm: 'a', argv, timeoutMs: 10_000, signal: bench.signal });
    const pids = stdout.trim().split('\n').map(Number);
    assert.ok(pids.length === 2 && pids.every(bench.commands.isAlive), stdout);
    await end(bench, run);
    await run.exited;
    await bench.until(() => !pids.some(bench.commands.isAlive));
  });
}

testOnSteps('a run that fails at once is told by its own words, not by those of an earlier one', async (bench) => {
  await bench.configure({ isKeychainClosed: true });
  await makeVm(bench, 'a');
  assert.equal(await codeOf(bench.vms.start(await bench.startOf('a'))), 'VmStartRefused');
  const killed = { startFails: { afterMs: 100, signal: 'SIGKILL' } } as const;
  await bench.configure({ isKeychainClosed: false, vmFaults: { a: killed } });
  const again = bench.vms.start(await bench.startOf('a'));
  await assert.rejects(again, {
    code: 'VmExitedImmediately',
    message: /exited immediately with SIGKILL \(log .*\): $/,
  });
});
