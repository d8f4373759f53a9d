import assert from 'node:assert/strict';
import test from 'node:test';
import { Secret } from '../../base/secret.ts';
import type { StepCall } from '../port.ts';
import { type BatchOnWire, parseBatch, renderBatchArgv, renderSecrets } from './batch-wire.ts';
import { bashArgv } from './remote-command.ts';

const call: StepCall = { step: 'hostname', do: 'converge', inputs: {}, secrets: {}, digest: '' };

const rows: readonly { readonly story: string; readonly batch: BatchOnWire }[] = [
  { story: 'no calls', batch: { epoch: 0, calls: [] } },
  { story: 'a person who works by hand', batch: { epoch: 'by-hand', calls: [] } },
  { story: 'a person who insists', batch: { epoch: 'forced', calls: [] } },
  { story: 'a call with nothing', batch: { epoch: 3, calls: [{ ...call, do: 'check' }] } },
  {
    story: 'values with every sign that the wire or a shell uses',
    batch: { epoch: 3, calls: [{ ...call, inputs: { nodeName: "a=b/c.d@e 'f' $(g)\n", empty: '' }, digest: 'd/1=2' }] },
  },
  {
    story: 'several calls with values of their own, and a lock',
    batch: {
      ...{ epoch: 9, lock: { owner: 'us', afterwards: 'keep' } },
      calls: [
        { ...call, inputs: { name: 'one' }, digest: 'x' },
        { ...call, step: 'first-look', do: 'verify', inputs: { name: 'two' }, digest: 'y' },
      ],
    },
  },
  {
    story: 'stages, one of them empty',
    batch: { epoch: 9, calls: [call, { ...call, step: 'a', stage: 2 }, { ...call, step: 'b', stage: 2 }] },
  },
  { story: 'a lock to be released', batch: { epoch: 9, calls: [call], lock: { owner: 'a=b', afterwards: 'release' } } },
];

for (const { story, batch } of rows) {
  test(`a batch is read as it was written: ${story}`, () => {
    assert.deepEqual(parseBatch(renderBatchArgv('the program', batch), renderSecrets(batch.calls)), batch);
  });
}

test('secrets are on standard input alone, byte for byte, and reach only their step', () => {
  const calls = [
    { ...call, secrets: { token: new Secret('a b\n\n'), key: new Secret('\u00fc') } },
    { ...call, step: 'other', secrets: { token: new Secret('another') } },
  ];
  const argv = renderBatchArgv('the program', { epoch: 1, calls });
  const parsed = parseBatch(argv, renderSecrets(calls));
  const revealed = parsed?.calls.map(({ secrets }) =>
    Object.entries(secrets).map(([name, secret]) => `${name}=${secret.reveal()}`),
  );
  assert.deepEqual(revealed, [['token=a b\n\n', 'key=\u00fc'], ['token=another']]);
  assert.ok(!argv.join(' ').includes('a b') && !argv.join(' ').includes('another'));
});

const end = Buffer.from('end\n');
const bad: readonly { readonly story: string; readonly argv: readonly string[]; readonly stdin?: Buffer }[] = [
  { story: 'a command that is not bash', argv: ['/bin/ls'] },
  { story: 'another program', argv: bashArgv('p', ['macfleet-upload', '1', 'a/check']) },
  { story: 'no epoch', argv: bashArgv('p', ['macfleet-steps']) },
  { story: 'an epoch that is no number', argv: bashArgv('p', ['macfleet-steps', '-1', 'a/check']) },
  { story: 'an unknown verb', argv: bashArgv('p', ['macfleet-steps', '1', 'a/destroy']) },
  { story: 'a value of no call', argv: bashArgv('p', ['macfleet-steps', '1', 'a/check', 'b.x=1']) },
  {
    story: 'secrets that were cut short',
    argv: bashArgv('p', ['macfleet-steps', '1', 'a/check']),
    stdin: Buffer.from('a.x YQ==\n'),
  },
  {
    story: 'a secret of no call',
    argv: bashArgv('p', ['macfleet-steps', '1', 'a/check']),
    stdin: Buffer.from('b.x YQ==\nend\n'),
  },
];

for (const { story, argv, stdin = end } of bad) {
  test(`no batch: ${story}`, () => assert.equal(parseBatch(argv, stdin), undefined));
}
