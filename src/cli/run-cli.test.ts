/** What a user of the command line sees, and what a script that calls it can rely on. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Command, Option } from 'commander';
import { cancelled, ERROR_BEHAVIOUR, ERROR_KINDS, FleetError } from '../base/errors.ts';
import { readerGone } from './reader-gone.ts';
import { takesPath } from './refuse-empty-paths.ts';
import { reportFailure } from './report-failure.ts';
import { createProgram } from './run-cli.ts';
import { runRecorded } from './testing/run-recorded.ts';

const run = (...args: readonly string[]) => runRecorded(args);

const report = (thrown: unknown, ...args: readonly string[]) => {
  let stderr = '';
  const stderrTo = (text: string) => {
    stderr += text;
  };
  const io = { stdout: () => undefined, stderr: stderrTo, env: {}, signal: new AbortController().signal };
  return { exitCode: reportFailure({ args, io }, thrown), stderr };
};

describe('the command line', () => {
  const rows = [
    { story: 'no arguments print the help', args: [], exitCode: 0, stdout: /^Usage: macfleet/, stderr: /^$/ },
    { story: '--help prints the help', args: ['--help'], exitCode: 0, stdout: /Try it here:\n {2}up /, stderr: /^$/ },
    { story: '-h prints the help', args: ['-h'], exitCode: 0, stdout: /^Usage: macfleet/, stderr: /^$/ },
    {
      story: '--version prints the version alone',
      args: ['--version'],
      exitCode: 0,
      stdout: /^1\.2\.3\n$/,
      stderr: /^$/,
    },
    {
      story: 'help up prints the help of up',
      args: ['help', 'up'],
      exitCode: 0,
      stdout: /^Usage: macfleet up/,
      stderr: /^$/,
    },
    {
      story: 'a command of commands prints them when it is alone',
      args: ['sim'],
      exitCode: 0,
      stdout: /^Usage: macfleet sim[\s\S]* {2}fault /,
      stderr: /^$/,
    },
    {
      story: 'help goes down to the commands of a command',
      args: ['help', 'sim', 'cloud'],
      exitCode: 0,
      stdout: /^Usage: macfleet sim cloud/,
      stderr: /^$/,
    },
    {
      story: 'a misspelt command of a command is refused with the right one',
      args: ['sim', 'clowd'],
      exitCode: 2,
      stdout: /^$/,
      stderr: /^error: unknown command 'clowd'\n {2}what to do: Did you mean cloud\?/,
    },
    {
      story: 'up refuses a count of Macs that is none',
      args: ['up', '--machines', 'many'],
      exitCode: 2,
      stdout: /^$/,
      stderr:
        /^error: "many" is no count of Macs\n {2}what to do: Give a whole number from 1 to 1000\.\n {2}code: BadNumber\n$/,
    },
    {
      story: 'a misspelt command is refused with the right one',
      args: ['upp'],
      exitCode: 2,
      stdout: /^$/,
      stderr: /^error: unknown command 'upp'\n {2}what to do: Did you mean up\? Run `macfleet --help`/,
    },
    {
      story: 'help on an unknown command is refused',
      args: ['help', 'nothing'],
      exitCode: 2,
      stdout: /^$/,
      stderr: /^error: there is no such command to give help on\n/,
    },
    {
      story: 'an unknown option is refused',
      args: ['up', '--bogus'],
      exitCode: 2,
      stdout: /^$/,
      stderr: /^error: unknown option '--bogus'\n/,
    },
    {
      story: 'an argument too many is refused',
      args: ['up', 'more'],
      exitCode: 2,
      stdout: /^$/,
      stderr: /^error: too many arguments for 'up'/,
    },
    {
      story: 'an empty argument is refused like any unknown command',
      args: [''],
      exitCode: 2,
      stdout: /^$/,
      stderr: /^error: unknown command ''/,
    },
  ];
  for (const { story, args, exitCode, stdout, stderr } of rows) {
    test(story, async () => {
      const seen = await run(...args);
      assert.equal(seen.exitCode, exitCode, seen.stderr);
      assert.match(seen.stdout, stdout);
      assert.match(seen.stderr, stderr);
    });
  }

  test('only --debug shows a stack trace', async () => {
    assert.doesNotMatch((await run('up', '--machines', '0')).stderr, /\n\s+at /);
    assert.match((await run('up', '--machines', '0', '--debug')).stderr, /\n\s+at /);
  });
});

describe('help', () => {
  const io = {
    ...{ stdout: () => undefined, stderr: () => undefined, env: {}, signal: new AbortController().signal },
    ...{ isTerminal: true, columns: 40 },
  };
  const flatten = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(flatten)];
  const commands = flatten(createProgram({ version: '1.2.3', io }));
  for (const command of commands) {
    const helpOf = (): string => {
      let text = '';
      command.configureOutput({ ...command.configureOutput(), writeOut: (part) => (text += part) });
      command.outputHelp();
      return text;
    };
    test(`of ${command.name()} fits a terminal of 40 columns, but for commands to copy`, () => {
      const lines = helpOf().split('\n');
      const examples = lines.findIndex((line) => line === 'Examples:' || line === 'Scenarios:');
      const prose = (examples === -1 ? lines : lines.slice(0, examples)).filter(
        (line) => !/^Usage: | (macfleet|kubectl|--from-literal)\b/.test(line),
      );
      assert.deepEqual(
        prose.filter(({ length }) => length > 40),
        [],
      );
    });
    if (command.name() === 'help') continue;
    test(`of ${command.name()} has examples`, () => assert.match(helpOf(), /^Examples:\n {2}\S/m));
  }
});

describe('a flag that takes a path', () => {
  const io = { stdout: assert.fail, stderr: assert.fail, env: {}, signal: new AbortController().signal };
  const pathsOf = (command: Command, words: readonly string[]): readonly (readonly [readonly string[], Option])[] => [
    ...command.options.filter(takesPath).map((option) => [words, option] as const),
    ...command.commands.flatMap((child) => pathsOf(child, [...words, child.name()])),
  ];
  const flags = pathsOf(createProgram({ version: '1.2.3', io }), []);
  for (const [words, { long }] of flags) {
    test(`refuses an empty one, which is no folder to work in: ${words.join(' ')} ${long}`, async () => {
      const { exitCode, stdout, stderr } = await runRecorded([...words, `${long}=`], AbortSignal.abort());
      assert.deepEqual([exitCode, stdout, /code: (\w+)/.exec(stderr)?.[1]], [2, '', 'EmptyPath'], stderr);
      assert.ok(
        stderr.startsWith(`error: ${long} was given an empty path\n  what to do: Name a file or folder`),
        stderr,
      );
    });
  }
  test('is known by how the help calls its value', () => {
    const named = flags.map(([words, { long }]) => `${words.join(' ')} ${long}`);
    for (const one of ['up --data', 'control-plane --data', 'status --kubeconfig', 'sim cloud --state'])
      assert.ok(named.includes(one), named.join(', '));
  });
});

describe('a failure', () => {
  for (const kind of ERROR_KINDS) {
    test(`of kind ${kind} ends in the exit code that the one table gives it`, () => {
      const { exitCode } = report(new FleetError(kind, { code: 'Some', message: 'some' }));
      assert.equal(exitCode, ERROR_BEHAVIOUR[kind].exitCode);
      assert.notEqual(exitCode, 0);
    });

    test(`of kind ${kind} that says nothing of it says what to do`, () => {
      for (const hint of [{}, { hint: '' }]) {
        const { stderr } = report(new FleetError(kind, { code: 'Some', message: 'some', ...hint }));
        assert.match(stderr, /^error: some\n {2}what to do: [A-Z].{20,}\.\n {2}code: Some\n$/);
      }
    });
  }

  test('because nobody reads any more is not told, and ends as such programs do', () => {
    const gone = new AbortController();
    gone.abort(readerGone());
    const io = { stderr: assert.fail, signal: gone.signal };
    assert.equal(reportFailure({ args: [], io }, cancelled('stopped before it was ready')), 141);
  });

  test('shows what happened, each reason once, what to do, and its code', () => {
    const cause = new Error('connection refused', { cause: new Error('connection refused') });
    const error = new FleetError('unavailable', { code: 'ApiAway', message: 'cannot list', hint: 'Look.', cause });
    const { stderr } = report(error);
    assert.equal(stderr, 'error: cannot list\n  because: connection refused\n  what to do: Look.\n  code: ApiAway\n');
  });

  test('that is no FleetError is our bug, says so, and hides its stack', () => {
    const { exitCode, stderr } = report(new TypeError('x is undefined'));
    assert.equal(exitCode, 70);
    assert.equal(stderr.split('\n')[0], 'error: x is undefined');
    assert.match(stderr, /what to do: This is a defect of macfleet/);
    assert.doesNotMatch(stderr, /\n\s+at /);
  });

  test('whose causes form a ring still ends', () => {
    const inner = new Error('inner');
    const outer = new FleetError('bug', { code: 'Ring', message: 'outer', cause: inner });
    inner.cause = outer;
    assert.equal(report(outer, '--debug').exitCode, 70);
  });

  test('with --debug shows the stack of every cause', () => {
    const { stderr } = report(
      new FleetError('bug', { code: 'X', message: 'outer', cause: new Error('inner') }),
      '--debug',
    );
    assert.match(stderr, /FleetError: outer\n\s+at /);
    assert.match(stderr, /Error: inner\n\s+at /);
  });
});
