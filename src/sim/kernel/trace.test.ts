import assert from 'node:assert/strict';
import test from 'node:test';
import { createFnv1a64, createTrace } from './trace.ts';

/** The definition, in big integers. */
const referenceFnv = (bytes: readonly number[]): string => {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffff_ffff_ffff_ffffn;
  return hash.toString(16).padStart(16, '0');
};

test('the hash is FNV-1a 64', () => {
  assert.equal(referenceFnv([...Buffer.from('foobar')]), '85944171f73967e8');
  for (const text of ['', 'a', 'foobar', 'kube:PATCH answer lost', 'x'.repeat(999)]) {
    const hash = createFnv1a64();
    hash.addText(text);
    assert.equal(hash.digest(), referenceFnv([...Buffer.from(text), 0]), JSON.stringify(text));
  }
});

test('time, actor and label each change the hash', () => {
  const hashOf = (atMs: number, actor: string, label: string): string => {
    const trace = createTrace(0);
    trace.add({ atMs, actor, label });
    return trace.hash();
  };
  const hashes = [
    hashOf(1, 'a', 'b'),
    hashOf(1.5, 'a', 'b'),
    hashOf(1, 'ab', ''),
    hashOf(1, 'z', 'b'),
    hashOf(1, 'a', 'c'),
    hashOf(-1, 'a', 'b'),
  ];
  assert.equal(new Set(hashes).size, hashes.length);
});

test('the dump shows the last lines, oldest first, and how many came before', () => {
  const trace = createTrace(2);
  for (const label of ['one', 'two', 'three']) trace.add({ atMs: 1_500, actor: 'client', label });
  assert.deepEqual(
    trace
      .dump()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).join(' ')),
    ['… 1 lines before these', '1.500 s client two', '1.500 s client three'],
  );
});

test('fields of a log line are shown but do not change the hash', () => {
  const [plain, rich] = [createTrace(1), createTrace(1)];
  plain.add({ atMs: 0, actor: 'a', label: 'b' });
  rich.add({ atMs: 0, actor: 'a', label: 'b', fields: { host: 'mac-1' } });
  assert.equal(plain.hash(), rich.hash());
  assert.match(rich.dump(), /"host":"mac-1"/);
});
