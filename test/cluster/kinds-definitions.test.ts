/** Our CRDs in the hands of a real API server and kubectl. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { isRecord } from '../../src/base/json.ts';
import { ALL_KINDS } from '../../src/kinds/all-kinds.ts';
import { ALL_POLICIES } from '../../src/kinds/policies/all-policies.ts';
import { PARSERS } from '../../src/kinds/testing/parsers.ts';
import { EXAMPLES } from './kinds/examples.ts';
import { kubectl, newId, openKindsScene, store, toStorable, withServer } from './kinds/kinds-scene.ts';
import { MINIMAL_OBJECTS } from './kinds/minimal-objects.ts';
import { fieldsOf, readServedSchema } from './kinds/served-schema.ts';

const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy');
const CRDS = ALL_KINDS.map(({ resource }) => `crd/${resource.plural}.${resource.group}`);
const POLICIES = ALL_POLICIES.flatMap(({ name }) => [
  `validatingadmissionpolicy/${name}`,
  `validatingadmissionpolicybinding/${name}`,
]);

test('our definitions', async (t) => {
  const scene = await openKindsScene(t);

  await t.test('are established, and structural in the eyes of the server', async () => {
    await kubectl(scene, ['wait', '--for=condition=Established', '--timeout=20s', ...CRDS]);
    const complaints = '{range .items[*]}{.status.conditions[?(@.type=="NonStructuralSchema")].message}{end}';
    assert.equal(await kubectl(scene, ['get', ...CRDS, '-o', `jsonpath=${complaints}`]), '');
  });

  await t.test('change nothing when they are applied again', async () => {
    const generations = '{range .items[*]}{.metadata.name} {.metadata.generation} {.metadata.uid}{"\\n"}{end}';
    const look = () => kubectl(scene, ['get', ...CRDS, ...POLICIES, '-o', `jsonpath=${generations}`]);
    const before = await look();
    assert.equal(before.trim().split('\n').length, CRDS.length + POLICIES.length);
    await kubectl(scene, ['apply', '--server-side', '-f', join(DEPLOY, 'crds'), '-f', join(DEPLOY, 'policies')]);
    assert.equal(await look(), before);
  });

  await t.test('make their kinds members of the category cluster-api', async () => {
    const listed = await kubectl(scene, ['api-resources', '--categories=cluster-api', '-o', 'name']);
    for (const { resource, categories } of ALL_KINDS) {
      const name = `${resource.plural}.${resource.group}`;
      assert.equal(listed.split('\n').includes(name), categories.includes('cluster-api'), name);
    }
  });
});

test('kubectl explains', async (t) => {
  const scene = await openKindsScene(t);
  for (const { resource, shortName } of ALL_KINDS) {
    await t.test(`every field of a ${resource.kind}, each with a description of its own`, async () => {
      const fields = fieldsOf(await readServedSchema(scene, resource));
      assert.ok(fields.length > 5);
      const bare = fields.filter(({ description }) => !description?.endsWith('.'));
      assert.deepEqual(bare, []);
      const words = new Set((await kubectl(scene, ['explain', shortName, '--recursive'])).split(/\s+/));
      const unknown = fields.filter(({ name }) => !words.has(name));
      assert.deepEqual(unknown, []);
    });
  }

  await t.test('a single field in the words of its kind', async () => {
    assert.match(await kubectl(scene, ['explain', 'mh.spec.hold.reason']), /Why, as one CamelCase word\./);
  });
});

test('kubectl get', async (t) => {
  const scene = await openKindsScene(t);
  for (const { kind, object, cells } of EXAMPLES) {
    await t.test(`shows a ${kind} by its short name, in its columns`, async () => {
      const found = ALL_KINDS.find(({ resource }) => resource.kind === kind);
      assert.ok(found !== undefined);
      const serverId = newId();
      const { metadata } = await store(scene, toStorable(object, scene.namespace, { serverId }));
      const headersOf = (columns: typeof found.columns) => ['NAME', ...columns.map(({ name }) => name.toUpperCase())];

      const plain = readTable(await kubectl(scene, ['get', found.shortName, metadata.name]));
      assert.deepEqual(plain.headers, headersOf(found.columns.filter(({ priority }) => priority === undefined)));

      const wide = readTable(await kubectl(scene, ['get', found.shortName, metadata.name, '-o', 'wide']));
      assert.deepEqual(wide.headers, headersOf(found.columns));
      const isNoAge = (cell: string, at: number): boolean =>
        !AGES.includes(wide.headers[at] ?? '') || !AN_AGE.test(cell);
      assert.deepEqual(wide.cells.filter(isNoAge), [metadata.name, ...withServer(cells, serverId)]);
      assert.match(wide.cells[wide.headers.indexOf('AGE')] ?? '', AN_AGE);
    });
  }
});

/** Columns that say how long something has been so. */
const AGES = ['AGE', 'SINCE'];
const AN_AGE = /^\d+[smhdy]/;

/** Columns are set off by at least two spaces; names of columns may hold single ones. */
const readTable = (text: string) => {
  const [headers = [], cells = []] = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/));
  return { headers, cells };
};

test('the server fills in exactly the defaults that our reader fills in', async (t) => {
  const scene = await openKindsScene(t);
  for (const [index, { story, kind, object }] of MINIMAL_OBJECTS.entries()) {
    await t.test(`for a ${kind} ${story}`, async () => {
      const wanted = toStorable(object, scene.namespace, { name: `least-${index}` });
      const stored = await store(scene, wanted);
      const read = PARSERS[kind](wanted);
      assert.deepEqual(stored.spec, 'spec' in read ? JSON.parse(JSON.stringify(read.spec)) : undefined);
    });
  }
});

test('applying an object twice leaves its generation and version as they were', async (t) => {
  const scene = await openKindsScene(t);
  for (const { kind, object } of EXAMPLES) {
    await t.test(kind, async () => {
      const input = JSON.stringify({ ...toStorable(object, scene.namespace), status: undefined });
      const apply = async () => {
        const applied: unknown = JSON.parse(
          await kubectl(scene, ['apply', '--server-side', '-o', 'json', '-f', '-'], input),
        );
        assert.ok(isRecord(applied) && isRecord(applied['metadata']));
        return applied['metadata'];
      };
      const first = await apply();
      if (kind === 'MacHost') scene.undo(() => kubectl(scene, ['delete', 'mh', String(first['name'])]));
      const second = await apply();
      assert.deepEqual([second['generation'], second['resourceVersion']], [1, first['resourceVersion']]);
    });
  }
});

test('a RunnerPool can be scaled', async (t) => {
  const scene = await openKindsScene(t);
  const example = EXAMPLES.find(({ kind }) => kind === 'RunnerPool');
  const { metadata } = await store(scene, toStorable(example?.object, scene.namespace));
  await kubectl(scene, ['scale', 'rpool', metadata.name, '--replicas=0']);
  const path = `/apis/tuist.dev/v1alpha1/namespaces/${scene.namespace}/runnerpools/${metadata.name}/scale`;
  const scale: unknown = await scene.client.getRaw(path, { signal: t.signal });
  assert.ok(isRecord(scale));
  assert.deepEqual(scale['spec'], {});
  assert.deepEqual(scale['status'], { replicas: 2, selector: 'tuist.dev/runner-pool=mac-1' });
});
