import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../../base/secret.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { createAccess, type Proof, subresourcesOf } from './access.ts';

const signal = new AbortController().signal;

interface Review {
  readonly spec: {
    readonly token?: string;
    readonly user?: string;
    readonly resourceAttributes?: Readonly<Record<string, string>>;
  };
}

/** An API that knows the token `good` as `prometheus`, and lets these users do these things with Nodes. */
const stageApi = (rights: Readonly<Record<string, readonly string[]>>) => {
  const clock = createManualClock();
  const asked: string[] = [];
  const answer = ({ spec }: Review): object => {
    if (spec.token !== undefined) {
      asked.push('token');
      const user = { username: 'prometheus', groups: ['g'] };
      return spec.token === 'good' ? { authenticated: true, user } : { authenticated: false };
    }
    const { verb, resource, subresource, name } = spec.resourceAttributes ?? {};
    asked.push(`${spec.user} ${verb} ${resource}/${subresource} ${name}`);
    return { allowed: rights[spec.user ?? '']?.includes(subresource ?? '') === true };
  };
  const create: KubeClient['create'] = async (_resource, object) => ({
    ...object,
    status: answer(JSON.parse(JSON.stringify(object))),
  });
  const access = createAccess({ client: { create }, clock, nodeName: 'mac-1' });
  const judge = async (proof: Proof, pathname: string, method = 'GET'): Promise<number> => {
    const judgement = await access.judge(proof, { method, pathname }, signal);
    return judgement === 'allowed' ? 200 : judgement.status;
  };
  return { clock, asked, judge };
};

const API_SERVER: Proof = { certified: { username: 'kube-apiserver', groups: [] } };
const GOOD: Proof = { token: new Secret('good') };

describe('who may ask an agent', () => {
  const ROWS = [
    { story: 'nobody in particular', proof: {}, path: '/metrics', is: 401 },
    { story: 'a token that the API does not know', proof: { token: new Secret('bad') }, path: '/metrics', is: 401 },
    { story: 'a token, for what its owner may', proof: GOOD, path: '/metrics', is: 200 },
    { story: 'a token, for a page below what its owner may', proof: GOOD, path: '/metrics/resource', is: 200 },
    { story: 'a token, for what its owner may not', proof: GOOD, path: '/containerLogs/a/b/c', is: 403 },
    { story: 'the API server, for logs', proof: API_SERVER, path: '/containerLogs/a/b/c', is: 200 },
    { story: 'the API server, for Pods, by its right to everything', proof: API_SERVER, path: '/pods', is: 200 },
    { story: 'the API server, for what it was not given', proof: API_SERVER, path: '/metrics', is: 403 },
    { story: 'a method that is none', proof: API_SERVER, path: '/pods', method: 'BREW', is: 403 },
  ];
  for (const { story, proof, path, method, is } of ROWS) {
    it(`is judged as by a kubelet: ${story}`, async () => {
      const { judge } = stageApi({ prometheus: ['metrics'], 'kube-apiserver': ['proxy'] });
      assert.equal(await judge(proof, path, method), is);
    });
  }

  it('asks the API in the words of a kubelet, and remembers a yes longer than a no', async () => {
    const { clock, asked, judge } = stageApi({ prometheus: ['metrics'] });
    await judge(GOOD, '/metrics');
    await judge(GOOD, '/metrics');
    await judge(GOOD, '/stats/summary');
    assert.deepEqual(asked, ['token', 'prometheus get nodes/metrics mac-1', 'prometheus get nodes/stats mac-1']);
    clock.advance(31_000);
    await judge(GOOD, '/metrics');
    await judge(GOOD, '/stats/summary');
    assert.deepEqual(asked.slice(3), ['prometheus get nodes/stats mac-1']);
    clock.advance(300_000);
    await judge(GOOD, '/metrics');
    assert.deepEqual(asked.slice(4), ['token', 'prometheus get nodes/metrics mac-1']);
  });

  const PATHS = [
    { path: '/metrics/cadvisor', are: ['metrics'] },
    { path: '/metricsx', are: ['proxy'] },
    { path: '/stats/', are: ['stats'] },
    { path: '/pods', are: ['pods', 'proxy'] },
    { path: '/healthz/ping', are: ['healthz', 'proxy'] },
    { path: '/exec/a/b/c', are: ['proxy'] },
  ];
  for (const { path, are } of PATHS) {
    it(`takes ${path} for nodes/${are.join(' or nodes/')}`, () => assert.deepEqual(subresourcesOf(path), are));
  }
});
