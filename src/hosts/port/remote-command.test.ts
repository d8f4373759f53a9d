import assert from 'node:assert/strict';
import test from 'node:test';
import { findMark, parseRemoteLine, renderKillLine, renderMark, renderRunLine } from './remote-command.ts';

test('a simulated Mac reads back what is to be run or ended', () => {
  const argv = ['/bin/bash', '-c', "echo 'x'", '--', '$1'];
  assert.deepEqual(parseRemoteLine(renderRunLine({ argv, limitSeconds: 7 })), { do: 'run', argv });
  assert.deepEqual(parseRemoteLine(renderKillLine(4711)), { do: 'kill', group: 4711 });
});

for (const line of ['', 'ls', "exec '/bin/bash' '--norc' '-c' 'rm -rf /' 'macfleet-run' '1'", "exec '/bin/ls'"]) {
  test(`the line "${line}" is none of ours`, () => {
    assert.equal(parseRemoteLine(line), undefined);
  });
}

test('the mark is found behind whatever a login shell printed, and nothing else is taken for one', () => {
  const noise = Buffer.from([0xff, 0xfe, ...Buffer.from('Welcome <macfleet-run> <macfleet-run x>\n')]);
  assert.equal(findMark(noise), undefined);
  const found = findMark(Buffer.concat([noise, Buffer.from(`${renderMark(4711)}output`)]));
  assert.deepEqual(found, { group: 4711, length: noise.length + renderMark(4711).length });
});
