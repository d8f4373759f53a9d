import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { createHarness } from '../../kube/testing/harness.ts';
import { SECRETS } from '../../kube/types/core.ts';
import { createJoinCredentials } from './join-credentials.ts';
import { tokenIdFor, tokenNameOf } from './join-token.ts';

const signal = neverAborted();
const joiner = { machine: { namespace: 'ci', name: 'mac-1' }, host: 'srv-1', uid: 'a', wipes: 0, epoch: 1 };

const stage = () => {
  const { client, clock, random } = createHarness();
  const join = createJoinCredentials({
    client,
    clock,
    random,
    cluster: { server: 'https://a.test', authority: 'PEM' },
  });
  const tokens = async () => (await client.list(SECRETS, { signal })).items;
  return { client, join, tokens };
};

describe('what a Mac joins with', () => {
  it('R23 is withdrawn from the record alone, as whoever starts anew does', async () => {
    const { join, tokens } = stage();
    await join.issue(joiner, signal);
    await join.issue({ ...joiner, epoch: 2 }, signal);
    await join.withdraw?.({ ...joiner, epoch: 1 }, signal);
    assert.deepEqual(
      (await tokens()).map(({ metadata }) => metadata.name),
      [tokenNameOf(tokenIdFor({ ...joiner, epoch: 2 }))],
    );
    await join.withdraw?.({ ...joiner, epoch: 1 }, signal);
  });

  it('is another one when the same operation asks again, and the first is gone', async () => {
    const { join, tokens } = stage();
    const first = await join.issue(joiner, signal);
    const second = await join.issue(joiner, signal);
    assert.notEqual(first.reveal(), second.reveal());
    assert.equal((await tokens()).length, 1);
  });

  it('is left alone where its name is by chance that of another Mac', async () => {
    const { client, join, tokens } = stage();
    const metadata = { namespace: 'kube-system', name: tokenNameOf(tokenIdFor(joiner)) };
    await client.create(SECRETS, { metadata, data: {} }, { signal });
    await join.withdraw?.(joiner, signal);
    assert.equal((await tokens()).length, 1);
    await assert.rejects(join.issue(joiner, signal), { kind: 'exists' });
  });
});
