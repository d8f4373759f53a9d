/** What a real API server accepts and refuses of our kinds, row by row of the tables that our own reader and CEL are held to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GO_OBJECTS } from '../../src/kinds/testing/go-objects.ts';
import { UPDATES } from '../../src/kinds/testing/updates.ts';
import { WRONG_OBJECTS } from '../../src/kinds/testing/wrong-objects.ts';
import { type AnyObject, openKindsScene, resourceOf, store, toStorable, withServer } from './kinds/kinds-scene.ts';
import { REFUSALS } from './kinds/refusals.ts';
import type { Scene } from './kube/scene.ts';

const named = (index: number) => ({ name: `row-${index}` });

test('kubectl tells a person what is wrong with', async (t) => {
  const { cluster, namespace } = await openKindsScene(t);
  for (const { story, kind, yaml, words } of REFUSALS) {
    await t.test(`a ${kind} that ${story}`, async () => {
      const args = ['create', '--dry-run=server', '--namespace', namespace, '-f', '-'];
      const { code, stderr } = await cluster.kubectl(args, { input: yaml });
      assert.equal(code, 1);
      for (const word of words) assert.ok(stderr.includes(word), `${word} is not in: ${stderr}`);
    });
  }
});

test('the server names the field at fault in', async (t) => {
  const scene = await openKindsScene(t);
  const rows = WRONG_OBJECTS.filter(({ isOutsideSchema }) => isOutsideSchema !== true);
  assert.ok(rows.length > 30);
  for (const [index, { story, kind, path, object }] of rows.entries()) {
    await t.test(`a ${kind} that ${story}`, async () => {
      const wrong = toStorable(object, scene.namespace, named(index));
      await assert.rejects(send(scene, wrong), (error: Error) => {
        assert.ok(error.message.includes(path.replaceAll(/\.(\d+)/g, '[$1]')), error.message);
        return true;
      });
    });
  }
});

/** A status goes its own way: on a create the server drops it unread. */
const send = async ({ client, signal }: Scene, object: AnyObject): Promise<unknown> => {
  const resource = resourceOf(object.kind ?? '');
  const { status, ...rest } = object;
  if (status === undefined) return client.create(resource, rest, { signal, dryRun: 'All' });
  const stored = await client.create(resource, rest, { signal });
  return client.update(resource, { ...stored, status }, { signal, subresource: 'status', dryRun: 'All' });
};

test('the rules of the CRDs', async (t) => {
  const scene = await openKindsScene(t);
  for (const [index, { story, kind, object, old, refusal }] of UPDATES.entries()) {
    await t.test(`${refusal === undefined ? 'allow' : 'refuse'} a ${kind} that ${story}`, async (each) => {
      const change = async (): Promise<unknown> => {
        if (old === undefined) return store(scene, toStorable(object, scene.namespace, named(index)));
        const stored = await store(scene, toStorable(old, scene.namespace, named(index)));
        const { spec } = withServer(object, stored.metadata.name);
        return scene.client.update(resourceOf(kind), { ...stored, spec }, { signal: each.signal });
      };
      if (refusal === undefined) await change();
      else await assert.rejects(change(), { kind: 'invalid', message: refusal });
    });
  }
});

test('what the Go original wrote is accepted by our CRDs when it is written anew', async (t) => {
  const scene = await openKindsScene(t);
  for (const [index, { story, kind, object }] of GO_OBJECTS.entries()) {
    await t.test(`a ${kind} ${story}`, async () => {
      const { status: _, ...wanted } = toStorable(object, scene.namespace, named(index));
      await scene.client.create(
        resourceOf(kind),
        { ...wanted, metadata: { ...wanted.metadata, finalizers: [] } },
        { signal: t.signal },
      );
    });
  }
});
