import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom } from '../../base/random.ts';
import { type CommandPlan, planCommand } from './command-plan.ts';

const UNTIL_MARKED = (ending: string): string => `
  if [[ -r /data/foo-$JOB_COMPLETION_INDEX ]]
  then
    exit 0
  else
    touch /data/foo-$JOB_COMPLETION_INDEX
    ${ending}
  fi
`;
const ODD_FAILS = `
  if [ $(expr \${JOB_COMPLETION_INDEX} % 2) -ne 0 ]; then
    exit 1
  else
    exit 0
  fi
`;

interface Row {
  readonly story: string;
  readonly command: readonly string[];
  readonly index?: string;
  readonly files?: readonly string[];
  readonly is: CommandPlan;
}

const ROWS: readonly Row[] = [
  { story: 'a server runs on', command: ['/agnhost', 'netexec', '--http-port=80'], is: { exitCode: 0 } },
  { story: 'an image without a command runs on', command: [], is: { exitCode: 0 } },
  { story: 'sleep ends by itself', command: ['sleep', '3'], is: { exitCode: 0, endsAfterMs: 3_000 } },
  { story: 'a shell sleeps', command: ['sh', '-c', 'sleep 2'], is: { exitCode: 0, endsAfterMs: 2_000 } },
  { story: 'a shell exits', command: ['/bin/sh', '-c', 'exit 3'], is: { exitCode: 3, endsAfterMs: 0 } },
  {
    story: 'the first time it leaves a file and fails',
    ...{ command: ['/bin/sh', '-c', UNTIL_MARKED('exit 42')], index: '1' },
    is: { exitCode: 42, endsAfterMs: 0, leavesFile: '/data/foo-1' },
  },
  {
    story: 'the first time it leaves a file and waits',
    ...{ command: ['/bin/sh', '-c', UNTIL_MARKED('sleep 1000')], index: '1' },
    is: { exitCode: 0, endsAfterMs: 1_000_000, leavesFile: '/data/foo-1' },
  },
  {
    story: 'with the file there it succeeds',
    ...{ command: ['/bin/sh', '-c', UNTIL_MARKED('exit 42')], index: '1', files: ['/data/foo-1'] },
    is: { exitCode: 0, endsAfterMs: 0 },
  },
  { story: 'an odd index fails', command: ['sh', '-c', ODD_FAILS], index: '3', is: { exitCode: 1, endsAfterMs: 0 } },
  {
    story: 'an even index succeeds',
    command: ['sh', '-c', ODD_FAILS],
    index: '2',
    is: { exitCode: 0, endsAfterMs: 0 },
  },
];

describe('what a command comes to', () => {
  const facts = ({ index, files = [] }: Pick<Row, 'index' | 'files'>) => ({
    random: createSeededRandom('commands'),
    variables: index === undefined ? {} : { JOB_COMPLETION_INDEX: index },
    hasFile: (path: string) => files.includes(path),
  });
  for (const { story, command, is, ...row } of ROWS) {
    it(story, () => {
      const [program = [], ...args] = [command.slice(0, 2), ...command.slice(2)];
      assert.deepEqual(planCommand({ name: 'c', command: [...program], args }, facts(row)), is);
    });
  }

  it('a coin toss falls on both sides', () => {
    const toss = { name: 'c', command: ['/bin/sh', '-c', 'exit $(( $RANDOM / 16384 ))'] };
    const known = facts({});
    const codes = Array.from({ length: 40 }, () => planCommand(toss, known).exitCode);
    assert.deepEqual([...new Set(codes)].sort(), [0, 1]);
  });
});
