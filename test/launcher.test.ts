/** What ./macfleet does on machines of all sorts before any of our TypeScript runs. */
import assert from 'node:assert/strict';
import { lstatSync } from 'node:fs';
import { appendFile, cp, mkdir, readdir, rm, symlink, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Ended } from './launcher/running.ts';
import { createStage, SHELLS, type Shell, type Stage } from './launcher/stage.ts';

/** Above Linux' and macOS' largest process number. */
const NO_SUCH_PROCESS = 99_999_999;

const assertRefused = (ended: Ended, expected: { readonly exitCode: number; readonly says: RegExp }): void => {
  assert.equal(ended.exitCode, expected.exitCode, ended.stderr);
  assert.match(ended.stderr, expected.says);
  assert.match(ended.stderr, /what to do: /);
  assert.doesNotMatch(ended.stderr, /^\s+at |\.js:\d+/m, 'no stack trace');
  assert.equal(ended.stdout, '');
};

/** The lock is a link to nothing, so a look through it would not see it. */
const isLocked = (stage: Stage): boolean => lstatSync(stage.lock, { throwIfNoEntry: false }) !== undefined;

const assertRan = (ended: Ended): void => {
  assert.equal(ended.exitCode, 0, ended.stderr);
  assert.match(ended.stdout, /^node\n/);
};

/** Registers one test on a stage of its own, which is removed afterwards. */
const stageTest = (shell: Shell, name: string, body: (stage: Stage) => Promise<void>): void => {
  test(name, async (context) => {
    const stage = await createStage(shell);
    context.after(() => stage.remove());
    await body(stage);
  });
};

for (const shell of SHELLS) {
  const skip = shell.path === undefined ? `${shell.name} is not installed here` : false;

  describe(`./macfleet under ${shell.name}: starting`, { skip }, () => {
    stageTest(shell, 'a fresh clone installs once, says so in one line, and runs', async (stage) => {
      const first = await stage.run({ args: ['up'] });
      assertRan(first);
      assert.match(first.stderr, /^macfleet: installing the pinned dependencies[^\n]*\n$/);
      const second = await stage.run({ args: ['up'] });
      assertRan(second);
      assert.equal(second.stderr, '');
      assert.equal((await stage.npmCalls()).length, 1);
      assert.equal(isLocked(stage), false);
    });

    stageTest(shell, 'arguments, working directory and exit code pass through untouched', async (stage) => {
      const args = ['', 'two words', '*', '$HOME', "quote's", '--', 'exit-7'];
      const ended = await stage.run({ args, cwd: stage.path('tools') });
      assert.equal(ended.exitCode, 7);
      const [, cwd, script, ...rest] = ended.stdout.split('\n');
      assert.match(cwd ?? '', /\/tools$/);
      assert.match(script ?? '', /a clone's folder\/bin\/macfleet\.ts$/);
      assert.deepEqual(rest, [...args, '']);
    });

    stageTest(
      shell,
      'what runs for long can be told to collect, which would make a short command slower',
      async (stage) => {
        const flagOf = async (command: string) => (await stage.run({ args: [command] })).stdout.split('\n')[2] ?? '';
        for (const command of ['up', 'control-plane']) assert.equal(await flagOf(command), '--expose-gc');
        for (const command of ['status', '--help']) assert.match(await flagOf(command), /macfleet\.ts$/);
      },
    );

    stageTest(
      shell,
      'macfleet manager, and runners, start that program with what it wants of Node, and its flags alone',
      async (stage) => {
        for (const program of ['manager', 'runners']) {
          const ended = await stage.run({ args: [program, '--scaleway', 'manager'] });
          const [, , flag, script, ...rest] = ended.stdout.split('\n');
          assert.equal(flag, '--expose-gc');
          assert.ok(script?.endsWith(`/bin/${program}.ts`));
          assert.deepEqual(rest, ['--scaleway', 'manager', '']);
        }
      },
    );

    stageTest(shell, 'a chain of relative and absolute links leads to the clone', async (stage) => {
      await mkdir(stage.path('links'));
      await symlink("../a clone's folder/macfleet", stage.path('links/relative'));
      await symlink(stage.path('links/relative'), stage.path('links/absolute'));
      assertRan(await stage.run({ script: stage.path('links/absolute') }));
      assertRan(await stage.run({ script: 'relative', cwd: stage.path('links') }));
      assertRan(await stage.run({ script: 'links/relative', cwd: stage.path('') }));
    });

    stageTest(shell, 'a signal reaches the program itself', async (stage) => {
      const running = stage.start({ args: ['hang'] });
      await running.saw('stdout', /hang/);
      running.process.kill('SIGTERM');
      assert.equal((await running.ended).signal, 'SIGTERM');
    });
  });

  describe(`./macfleet under ${shell.name}: deciding whether to install`, { skip }, () => {
    stageTest(shell, 'a lockfile with other content installs again', async (stage) => {
      await stage.run();
      await appendFile(join(stage.root, 'package-lock.json'), ' ');
      const future = new Date(Date.UTC(2100, 0));
      await utimes(join(stage.root, 'package-lock.json'), future, future);
      assertRan(await stage.run());
      assert.equal((await stage.npmCalls()).length, 2);
    });

    stageTest(shell, 'a lockfile that was only touched does not', async (stage) => {
      await stage.run();
      const future = new Date(Date.UTC(2100, 0));
      await utimes(join(stage.root, 'package-lock.json'), future, future);
      assertRan(await stage.run());
      assert.equal((await stage.npmCalls()).length, 1);
    });

    stageTest(shell, 'an install by hand that is younger than the lockfile is taken as it is', async (stage) => {
      await stage.run();
      await rm(join(stage.root, 'node_modules', '.macfleet-package-lock.json'));
      const past = new Date(Date.UTC(2000, 0));
      await utimes(join(stage.root, 'package-lock.json'), past, past);
      assertRan(await stage.run());
      assert.equal((await stage.npmCalls()).length, 1);
    });

    stageTest(
      shell,
      'development dependencies are kept where they are and not brought where they are not',
      async (stage) => {
        await stage.run();
        await mkdir(join(stage.root, 'node_modules', 'typescript'));
        await appendFile(join(stage.root, 'package-lock.json'), ' ');
        await rm(stage.node);
        await stage.run();
        const [fresh, developer] = await stage.npmCalls();
        assert.match(fresh ?? '', /a clone's folder\|ci --omit=dev /);
        assert.match(developer ?? '', /a clone's folder\|ci --include=dev /);
      },
    );

    stageTest(shell, 'a half-finished install, which lacks the hidden lockfile, is made anew', async (stage) => {
      await stage.run();
      await rm(join(stage.root, 'node_modules', '.package-lock.json'));
      assertRan(await stage.run());
      assert.equal((await stage.npmCalls()).length, 2);
    });
  });

  describe(`./macfleet under ${shell.name}: several at once`, { skip }, () => {
    stageTest(shell, 'the second start waits for the first and does not install again', async (stage) => {
      const first = stage.start({ npm: 'gated' });
      await first.npmStarted();
      const second = stage.start({ npm: 'gated' });
      await second.saw('stderr', /another start is installing the dependencies .*; waiting for it\n/);
      first.openGate();
      assertRan(await first.ended);
      assertRan(await second.ended);
      assert.equal((await stage.npmCalls()).length, 1);
      assert.equal(isLocked(stage), false);
    });

    stageTest(shell, 'an install that is interrupted leaves no lock, and the next start heals it', async (stage) => {
      const running = stage.start({ npm: 'gated' });
      await running.npmStarted();
      running.killAll('SIGTERM');
      assert.equal((await running.ended).exitCode, 143);
      assert.equal(isLocked(stage), false);
      assertRan(await stage.run());
    });

    stageTest(shell, 'a lock whose owner was killed is taken over, and leaves no trace', async (stage) => {
      const running = stage.start({ npm: 'gated' });
      await running.npmStarted();
      running.killAll('SIGKILL');
      assert.equal((await running.ended).signal, 'SIGKILL');
      assert.equal(isLocked(stage), true);
      assertRan(await stage.run());
      assert.deepEqual((await readdir(stage.root)).sort(), ['bin', 'macfleet', 'node_modules', 'package-lock.json']);
    });

    stageTest(shell, 'five starts that find a dead lock install once', async (stage) => {
      await symlink(`${hostname()} ${NO_SUCH_PROCESS}`, stage.lock);
      const ended = await Promise.all(Array.from({ length: 5 }, () => stage.run()));
      for (const one of ended) assertRan(one);
      assert.equal((await stage.npmCalls()).length, 1);
    });

    stageTest(shell, 'while one start removes a dead lock, another neither removes nor takes it', async (stage) => {
      await symlink(`${hostname()} ${NO_SUCH_PROCESS}`, stage.lock);
      const remover = stage.start({ gate: 'rm' });
      await remover.saw('commands', /rm/);
      const other = stage.start();
      await other.saw('commands', /slept/);
      assert.deepEqual(await stage.npmCalls(), []);
      remover.openGate();
      assertRan(await remover.ended);
      assertRan(await other.ended);
      assert.equal((await stage.npmCalls()).length, 1);
    });

    stageTest(
      shell,
      'a start that was slow to remove a dead lock does not remove the live one after it',
      async (stage) => {
        await symlink(`${hostname()} ${NO_SUCH_PROCESS}`, stage.lock);
        const slow = stage.start({ gate: 'ln' });
        await slow.saw('commands', /ln/);
        const quick = stage.start({ npm: 'gated' });
        await quick.npmStarted();
        slow.openGate();
        await slow.saw('stderr', /waiting for it/);
        quick.openGate();
        assertRan(await quick.ended);
        assertRan(await slow.ended);
        assert.equal((await stage.npmCalls()).length, 1);
      },
    );

    stageTest(shell, 'a lock of another machine is never judged dead', async (stage) => {
      await symlink(`elsewhere ${NO_SUCH_PROCESS}`, stage.lock);
      const ended = await stage.run({ waitSeconds: 12 });
      assertRefused(ended, { exitCode: 69, says: /waited 12 s for another install \(elsewhere/ });
      assert.equal(isLocked(stage), true);
    });
  });

  describe(`./macfleet under ${shell.name}: refusing`, { skip }, () => {
    stageTest(shell, 'no npm on PATH', async (stage) => {
      await stage.setCommand('npm');
      assertRefused(await stage.run(), { exitCode: 69, says: /npm is not on PATH/ });
    });

    stageTest(shell, 'no network', async (stage) => {
      assertRefused(await stage.run({ npm: 'offline' }), { exitCode: 69, says: /npm cannot reach its registry/ });
      assertRan(await stage.run());
    });

    stageTest(shell, 'npm failing for a reason of its own', async (stage) => {
      const ended = await stage.run({ npm: 'full' });
      assertRefused(ended, { exitCode: 70, says: /npm could not install the dependencies/ });
      assert.match(ended.stderr, /npm error code ENOSPC/);
      assert.equal(isLocked(stage), false);
    });

    stageTest(shell, 'an install that brought no Node', async (stage) => {
      assertRefused(await stage.run({ npm: 'empty' }), { exitCode: 70, says: /brought no Node that runs here/ });
    });

    stageTest(shell, 'a platform without a pinned Node', async (stage) => {
      await stage.setCommand('uname', '#!/bin/sh\necho Plan9\n');
      assertRefused(await stage.run(), { exitCode: 69, says: /no pinned Node for Plan9/ });
      assert.deepEqual(await stage.npmCalls(), []);
    });

    stageTest(shell, 'a clone that cannot be written to', async (stage) => {
      await stage.setCommand('ln', '#!/bin/sh\nexit 1\n');
      assertRefused(await stage.run(), { exitCode: 70, says: /cannot write to / });
    });

    stageTest(shell, 'an installed clone needs no npm at all', async (stage) => {
      await stage.run();
      await cp(stage.root, stage.path('copy'), { recursive: true });
      await stage.setCommand('npm');
      assertRan(await stage.run({ script: stage.path('copy/macfleet') }));
    });
  });
}
