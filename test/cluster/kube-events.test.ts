/** Our event recorder against a real API server, which has rules of its own about events. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createIds } from '../../src/base/ids.ts';
import { createEventRecorder } from '../../src/kube/controller/events.ts';
import { CONFIG_MAPS, EVENTS, NAMESPACES } from '../../src/kube/types/core.ts';
import type { KubeObject } from '../../src/kube/types/meta.ts';
import type { Resource } from '../../src/kube/types/resource.ts';
import { createMap } from './kube/objects.ts';
import { connect, createMovableClock, openScene, parts, type Scene } from './kube/scene.ts';

/** As long as the same event is not written again. */
const QUIET_MS = 300_000;

const openRecorder = async (t: TestContext, { cluster, signal }: Scene) => {
  const methods: string[] = [];
  const { client } = await connect(t, cluster.kubeconfig, { onResponse: ({ method }) => methods.push(method) });
  const clock = createMovableClock();
  const { random, logger } = parts();
  const recorder = createEventRecorder({ client, clock, logger, ids: createIds(random), component: 'test', signal });
  const publish = async (resource: Resource<KubeObject>, subject: KubeObject, message = 'once'): Promise<void> => {
    recorder.publish(resource, subject, [{ type: 'Warning', reason: 'Tried', message }]);
    await recorder.flush();
  };
  return { clock, methods, publish };
};

describe('an event', () => {
  it('that is told again is counted, and stored again only after a while', async (t) => {
    const scene = await openScene(t);
    const { client, namespace, signal } = scene;
    const subject = await createMap(scene, 'one');
    const { clock, methods, publish } = await openRecorder(t, scene);
    await publish(CONFIG_MAPS, subject);
    await publish(CONFIG_MAPS, subject);
    clock.moveOn(QUIET_MS);
    await publish(CONFIG_MAPS, subject);
    assert.deepEqual(methods, ['POST', 'PATCH']);
    const { items } = await client.list(EVENTS, { namespace, fieldSelector: 'reason=Tried', signal });
    assert.deepEqual(
      items.map(({ count }) => count),
      [3],
    );
  });

  it('about something outside of all namespaces is kept in the default one', async (t) => {
    const scene = await openScene(t);
    const { client, namespace: name, signal } = scene;
    const subject = await client.get(NAMESPACES, { name }, { signal });
    const { publish } = await openRecorder(t, scene);
    await publish(NAMESPACES, subject);
    const fieldSelector = `involvedObject.uid=${subject.metadata.uid}`;
    const { items } = await client.list(EVENTS, { namespace: 'default', fieldSelector, signal });
    assert.deepEqual(
      items.map(({ reason }) => reason),
      ['Tried'],
    );
  });

  it('that is longer than the server stores is cut, not lost', async (t) => {
    const scene = await openScene(t);
    const { client, namespace, signal } = scene;
    const subject = await createMap(scene, 'n'.repeat(253));
    const { publish } = await openRecorder(t, scene);
    await publish(CONFIG_MAPS, subject, 'ä'.repeat(3_000));
    const { items } = await client.list(EVENTS, { namespace, fieldSelector: 'reason=Tried', signal });
    assert.equal(items.length, 1);
  });
});
