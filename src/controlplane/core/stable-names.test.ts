import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createUsedNames, planNames } from './stable-names.ts';

const owner = (name: string, uid: string) => ({ metadata: { name, uid } });
const FREE: ReadonlySet<string> = new Set();

describe('names that follow from their owner', () => {
  it('are the same each time, and others for another owner', () => {
    const names = planNames(owner('build', 'u1'), 3, FREE);
    assert.deepEqual(planNames(owner('build', 'u1'), 3, FREE), names);
    assert.equal(new Set([...names, ...planNames(owner('build', 'u2'), 3, FREE)]).size, 6);
    for (const name of names) assert.match(name, /^build-[a-z0-9]{5}$/);
  });

  it('leave out what is taken, and go on where a shorter list ended', () => {
    const [first = '', second = '', third = ''] = planNames(owner('build', 'u1'), 3, FREE);
    assert.deepEqual(planNames(owner('build', 'u1'), 2, new Set([second])), [first, third]);
  });

  it('fit into a label, however long the owner is called', () => {
    const [name = ''] = planNames(owner('x'.repeat(200), 'u1'), 1, FREE);
    assert.equal(name.length, 63);
  });
});

describe('names that were used', () => {
  it('are remembered of an owner, and not of the one that takes its place', () => {
    const used = createUsedNames();
    used.add(owner('build', 'u1'), ['a']);
    assert.deepEqual([...used.add(owner('build', 'u1'), ['b'])], ['a', 'b']);
    assert.deepEqual([...used.add(owner('other', 'u2'), ['c'])], ['c']);
    assert.deepEqual([...used.add(owner('build', 'u3'), [])], [], 'another owner of the same name');
    used.forget('other');
    assert.deepEqual([...used.add(owner('other', 'u2'), [])], []);
  });

  it('are given free again when there are too many, the oldest first, those in use never', () => {
    const used = createUsedNames();
    const names = Array.from({ length: 1_001 }, (_, at) => `n${at}`);
    used.add(owner('build', 'u1'), names.slice(0, 1_000));
    const kept = used.add(owner('build', 'u1'), ['n0', 'n1000']);
    assert.deepEqual([kept.size, kept.has('n0'), kept.has('n1'), kept.has('n1000')], [1_000, true, false, true]);
  });
});
