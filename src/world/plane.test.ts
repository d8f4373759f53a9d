import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../base/logger.ts';
import { createSeededRandom } from '../base/random.ts';
import { ADMIN } from '../controlplane/auth/user.ts';
import { createKernel } from '../sim/kernel/kernel.ts';
import { createPlane } from './plane.ts';

const PATH = '/api/v1/namespaces/default/configmaps';

const startPlane = () => {
  const { clock } = createKernel({ seed: 1 }).actor('api');
  const plane = createPlane({ clock, random: createSeededRandom(1), logger: silentLogger, keeps: 'log' });
  const call = (method: string, path: string, body?: object) => {
    const request = { method, path, headers: { 'content-type': 'application/json' }, user: ADMIN };
    const { status, body: text } = plane.api.handle(body ? { ...request, body: JSON.stringify(body) } : request);
    return { status, object: JSON.parse(String(text)) };
  };
  const create = (name: string) => call('POST', PATH, { metadata: { name } });
  return { plane, call, create };
};

describe('an API server that dies', () => {
  it('has after a restart what it acknowledged, at the revisions it had', () => {
    const { plane, call, create } = startPlane();
    const { object } = create('a');
    create('b');
    call('DELETE', `${PATH}/b`);
    const { revision } = plane.store;
    plane.restart();
    assert.equal(call('GET', `${PATH}/a`).object.metadata.resourceVersion, object.metadata.resourceVersion);
    assert.equal(call('GET', `${PATH}/b`).status, 404);
    assert.equal(plane.store.revision, revision);
  });

  it('goes back to what a backup had, and gives its revisions a second time', () => {
    const { plane, call, create } = startPlane();
    create('a');
    const backup = plane.backUp();
    const { object } = create('b');
    const told: string[] = [];
    plane.onReopened((how) => void told.push(how));
    plane.restore(backup, 'plain');
    assert.equal(call('GET', `${PATH}/b`).status, 404);
    assert.equal(create('c').object.metadata.resourceVersion, object.metadata.resourceVersion);
    assert.deepEqual(told, ['restored']);
  });

  it('goes on beyond what it gave where its revisions are bumped, and knows no earlier one', () => {
    const { plane, create } = startPlane();
    const backup = plane.backUp();
    create('a');
    const { revision } = plane.store;
    plane.restore(backup, 'bumped');
    assert.ok(plane.store.revision > revision);
    assert.equal(plane.store.since(revision), undefined);
  });

  it('never gives a UID twice, however often it comes back', () => {
    const { plane, create } = startPlane();
    const backup = plane.backUp();
    const uids = ['a', 'b', 'c'].map((name) => {
      plane.restore(backup, 'plain');
      return create(name).object.metadata.uid;
    });
    assert.equal(new Set(uids).size, 3);
  });
});
