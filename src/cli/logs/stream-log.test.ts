import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { createScriptedTransport, type ScriptedAnswer } from '../../kube/client/testing/scripted-transport.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { type LogOptions, streamLog } from './stream-log.ts';

const POD = { metadata: { name: 'p', namespace: 'ci' }, spec: { containers: [] } } as unknown as Pod;
const PLAIN: LogOptions = { follow: false, previous: false, timestamps: false };

const read = async (answer: ScriptedAnswer, options: LogOptions = PLAIN) => {
  const transport = createScriptedTransport([answer]);
  const source = { transport, clock: createManualClock(), signal: new AbortController().signal };
  let text = '';
  for await (const piece of streamLog(POD, options, source)) text += piece;
  return { text, path: transport.requests[0]?.path };
};

describe('the log of a Pod', () => {
  it('comes whole, also where a character is cut in two', async () => {
    const bytes = Buffer.from('grün\n');
    const { text, path } = await read({ status: 200, chunks: [bytes.subarray(0, 3), bytes.subarray(3)] });
    assert.deepEqual([text, path], ['grün\n', '/api/v1/namespaces/ci/pods/p/log']);
  });
  it('is asked for as the flags say', async () => {
    const { path } = await read({ status: 200 }, { ...PLAIN, follow: true, tail: 5, since: 60, container: 'vm' });
    assert.equal(path, '/api/v1/namespaces/ci/pods/p/log?container=vm&follow=true&tailLines=5&sinceSeconds=60');
  });
  it('that cannot be had is an error in the words of the server', async () => {
    const body = JSON.stringify({ kind: 'Status', code: 400, reason: 'BadRequest', message: 'container is waiting' });
    await assert.rejects(read({ status: 400, chunks: [body] }), {
      code: 'BadRequest',
      message: /container is waiting/,
    });
  });
  it('that breaks off is not taken for its end', async () => {
    await assert.rejects(read({ status: 200, chunks: ['a'], ending: 'break' }), { kind: 'unavailable' });
  });
});
