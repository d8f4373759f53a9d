import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DISTURBANCES } from './disturbances.ts';
import { marksOf, RARE_STATES, unreached } from './marks.ts';
import { changed, claimedHost, macHost } from './properties/testing/hand-made.ts';

const ALL = Object.fromEntries([...RARE_STATES, ...DISTURBANCES.map(({ id }) => id)].map((mark) => [mark, 5]));

describe('L22: what a swarm never reached', () => {
  it('is nothing when every rare state and every disturbance was reached in one of a thousand', () => {
    assert.deepEqual(unreached(ALL, 5_000), []);
  });

  it('is a state that was reached too rarely, or never', () => {
    const { 'sometimes: gone': _gone, ...others } = ALL;
    assert.deepEqual(unreached({ ...others, 'sometimes: terminate': 4 }, 5_000), [
      'sometimes: terminate',
      'sometimes: gone',
    ]);
  });

  it('is a disturbance that never struck', () => {
    const { 'etcd-restored': _never, ...others } = ALL;
    assert.deepEqual(unreached(others, 1), ['etcd-restored']);
  });

  it('knows every state by the name under which it is marked', () => {
    const states = ['free', 'claimed', 'joined', 'held'] as const;
    const marked = states.flatMap((state) => marksOf(changed('hosts', claimedHost({}, { state }), macHost())));
    assert.deepEqual(
      marked.filter((mark) => !RARE_STATES.includes(mark)),
      [],
    );
  });
});
