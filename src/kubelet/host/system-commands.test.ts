/** The real CommandPort on real processes. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { createSystemClock, sleep } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import type { Command } from './command-port.ts';
import { createSystemCommands } from './system-commands.ts';

const clock = createSystemClock();
const commands = createSystemCommands({ clock, env: process.env });

const sh = (t: TestContext, script: string, changes: Partial<Command> = {}): Command => ({
  ...{ argv: ['/bin/sh', '-c', script], timeoutMs: 30_000, signal: t.signal },
  ...changes,
});

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof FleetError, `expected a refusal, got ${String(thrown)}`);
  return thrown.code;
};

const until = async (holds: () => boolean, signal: AbortSignal): Promise<void> => {
  while (!holds()) await sleep(clock, 10, signal);
};

describe('a command', () => {
  test('gives its code, its streams and its lines, and reads what it is given', async (t) => {
    const lines: string[] = [];
    const script = 'read -r word; echo "$word $NAME"; printf half; echo oops >&2; exit 3';
    const result = await commands.run(
      sh(t, script, { stdin: 'hello\n', env: { NAME: 'you' }, onLine: (line) => lines.push(line) }),
    );
    assert.deepEqual(result, { code: 3, stdout: 'hello you\nhalf', stderr: 'oops\n' });
    assert.deepEqual(lines, ['hello you', 'half']);
  });

  test('that a signal ended tells the signal', async (t) => {
    const { code, killedBy } = await commands.run(sh(t, 'kill -TERM $$'));
    assert.deepEqual([code, killedBy], [undefined, 'SIGTERM']);
  });

  test('keeps only the end of what is too much', async (t) => {
    const { stdout } = await commands.run(sh(t, 'seq 1 20000', { outputBytesMax: 12 }));
    assert.equal(stdout, '19999\n20000\n');
  });

  test('that is not there is ProgramMissing', async (t) => {
    assert.equal(await codeOf(commands.run(sh(t, '', { argv: ['/no/such/program'] }))), 'ProgramMissing');
  });

  test('§9.2-2 that takes too long is killed with all that it started', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'commands-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const script = `sleep 300 & echo $! >${folder}/child; trap "" INT; sleep 300; sleep 300`;
    assert.equal(await codeOf(commands.run(sh(t, script, { timeoutMs: 300 }))), 'CommandTimedOut');
    const child = Number(readFileSync(join(folder, 'child'), 'utf8'));
    await until(() => !commands.isAlive(child) || isZombie(child), t.signal);
  });

  test('that is given up ends, and only then says so', async (t) => {
    const stop = new AbortController();
    const lines: string[] = [];
    const script = 'trap "echo tidied; exit 1" INT; echo ready; while :; do sleep 0.05; done';
    const onLine = (line: string): void => {
      lines.push(line);
      if (line === 'ready') stop.abort();
    };
    assert.equal(await codeOf(commands.run(sh(t, script, { signal: stop.signal, onLine }))), 'Cancelled');
    assert.deepEqual(lines, ['ready', 'tidied']);
  });

  test('does not wait for what its children keep open', async (t) => {
    const { code, stdout } = await commands.run(sh(t, 'sleep 300 & echo $!'));
    commands.kill(Number(stdout), 'SIGKILL');
    assert.equal(code, 0);
  });

  test('shows among the processes with its words and its start', async (t) => {
    const before = clock.now();
    const stop = new AbortController();
    const running = commands.run(sh(t, 'sleep 301', { argv: ['sleep', '301'], signal: stop.signal }));
    const found = await (async () => {
      for (;;) {
        const process = (await commands.processes(t.signal)).find(({ command }) => command === 'sleep 301');
        if (process !== undefined) return process;
      }
    })();
    stop.abort();
    await assert.rejects(running);
    assert.ok(Math.abs(found.startedAtMs - before) < 60_000);
  });
});

/** A process that its new parent has not buried yet is dead all the same. */
const isZombie = (pid: number): boolean => {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
};

describe('a recorded program', () => {
  const start = async (t: TestContext, script: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'recorded-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const read = (name: string): string | undefined => {
      try {
        return readFileSync(join(folder, name), 'utf8');
      } catch {
        return undefined;
      }
    };
    await commands.startRecorded({ argv: ['/bin/sh', '-c', script], recordDir: folder, logPath: join(folder, 'log') });
    return { read, folder };
  };

  test('leaves its pid, its code and its words', async (t) => {
    const { read } = await start(t, 'echo "$$"; echo bad >&2; exit 5');
    await until(() => read('exit') !== undefined && (read('log')?.length ?? 0) > 3, t.signal);
    assert.equal(read('exit'), '5\n');
    assert.equal(read('log'), `${read('pid')}bad\n`);
  });

  test('tells the signal that ended it as a shell does', async (t) => {
    const { read } = await start(t, 'kill -KILL $$');
    await until(() => read('exit') !== undefined, t.signal);
    assert.equal(read('exit'), '137\n');
  });

  test('takes an interrupt as any other program does', async (t) => {
    const { read } = await start(t, 'trap "exit 9" INT; while :; do sleep 0.02; done');
    await until(() => read('pid') !== undefined, t.signal);
    const pid = Number(read('pid'));
    while (read('exit') === undefined) {
      commands.kill(pid, 'SIGINT');
      await sleep(clock, 20, t.signal);
    }
    // Before its trap is set the interrupt ends it.
    assert.match(read('exit') ?? '', /^(9|130)\n$/);
  });

  test('keeps the address of a screen where only its owner reads it, and out of the log', async (t) => {
    const url = 'vnc://:one-two@127.0.0.1:5901';
    const { read, folder } = await start(t, `echo "VNC server is running at ${url}"; echo "Opening ${url}..."`);
    await until(() => read('exit') !== undefined && read('log')?.includes('Opening') === true, t.signal);
    assert.equal(
      read('log'),
      'VNC server is running at vnc://:REDACTED@127.0.0.1:5901\nOpening vnc://:REDACTED@127.0.0.1:5901...\n',
    );
    assert.equal(read('vnc'), ':one-two@127.0.0.1:5901...\n');
    assert.equal(statSync(join(folder, 'vnc')).mode & 0o777, 0o600);
  });

  test('outlives whoever started it, and its end is written all the same', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'recorded-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const program = [
      `import { createSystemCommands } from ${JSON.stringify(new URL('./system-commands.ts', import.meta.url).href)};`,
      `import { createSystemClock } from ${JSON.stringify(new URL('../../base/clock.ts', import.meta.url).href)};`,
      'const commands = createSystemCommands({ clock: createSystemClock(), env: process.env });',
      `const argv = ['/bin/sh', '-c', 'while [ ! -e ${folder}/go ]; do sleep 0.02; done; exit 6'];`,
      `await commands.startRecorded({ argv, recordDir: '${folder}', logPath: '${folder}/log' });`,
      'process.kill(process.pid, "SIGKILL");',
    ].join('\n');
    const argv = [process.execPath, '--input-type=module', '-e', program] as const;
    const { killedBy } = await commands.run(sh(t, '', { argv }));
    assert.equal(killedBy, 'SIGKILL');
    await commands.run(sh(t, `touch ${folder}/go`));
    const exit = join(folder, 'exit');
    await until(() => statSync(exit, { throwIfNoEntry: false }) !== undefined, t.signal);
    assert.equal(readFileSync(exit, 'utf8'), '6\n');
  });
});
