import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planNames } from './stable-names.ts';

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
