import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { type ErrorKind, FleetError } from '../../base/errors.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { fetchEnv } from './fetch-env.ts';
import { samplePod } from './testing/pod-samples.ts';

const refusal = (kind: ErrorKind): FleetError => new FleetError(kind, { code: 'Said', message: `${kind}, it says` });

/** Answers each question with the next of these: an object, or a refusal. */
const stageClient = (...answers: readonly (object | FleetError)[]): Pick<KubeClient, 'get'> => {
  const left = [...answers];
  return {
    get: async () => {
      const answer = left.shift();
      if (answer === undefined || answer instanceof FleetError) throw answer ?? new Error('asked once too often');
      return JSON.parse(JSON.stringify(answer));
    },
  };
};

const SECRET = { metadata: { name: 'login' }, data: { KEY: Buffer.from('value').toString('base64') } };

const fetchWith = (client: Pick<KubeClient, 'get'>, optional: boolean): Promise<ReadonlyMap<string, string>> =>
  fetchEnv({
    ...{ client, pod: samplePod(), hostIp: undefined, signal: neverAborted() },
    container: { name: 'main', envFrom: [{ secretRef: { name: 'login', optional } }] },
  });

describe('what an environment refers to', () => {
  it('is left out where it is optional and not there', async () =>
    assert.deepEqual([...(await fetchWith(stageClient(refusal('not-found')), true))], []));
  it('is waited for where it is not there and not optional', () =>
    assert.rejects(fetchWith(stageClient(refusal('not-found')), false), { code: 'EnvSourceMissing' }));
  for (const optional of [true, false]) {
    const wanted = optional ? 'optional' : 'needed';
    it(`is waited for, ${wanted}, while the API does not let this Node read it: that it is not there nobody said`, async () => {
      const client = stageClient(refusal('denied'), SECRET);
      await assert.rejects(fetchWith(client, optional), { kind: 'denied', code: 'EnvSourceDenied' });
      assert.deepEqual([...(await fetchWith(client, optional))], [['KEY', 'value']]);
    });
  }
  it('is waited for while the API is away', () =>
    assert.rejects(fetchWith(stageClient(refusal('unavailable')), true), { kind: 'unavailable' }));
});
