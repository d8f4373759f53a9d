/**
 * Taking over from the Go original's CRDs and going back to them, in place, with objects stored (004-8): no object may
 * become unreadable or unsavable on the way, whichever side wrote it.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FleetError } from '../../src/base/errors.ts';
import { MACHINES, machineKind } from '../../src/kinds/machine.ts';
import { toCustomResourceDefinition } from '../../src/kinds/schema/crd.ts';
import { hasLegacyConditions } from '../../src/kinds/schema/parse.ts';
import { GO_OBJECTS } from '../../src/kinds/testing/go-objects.ts';
import { PARSERS, type Sample } from '../../src/kinds/testing/parsers.ts';
import { NAMESPACES } from '../../src/kube/types/core.ts';
import { keyOf } from '../../src/kube/types/meta.ts';
import { startCluster } from './bench.ts';
import { EXAMPLES } from './kinds/examples.ts';
import { ERAS, type Era, goKindsOf } from './kinds/go-definitions.ts';
import { installGoKinds, installOurKinds, untilDescribed } from './kinds/install-eras.ts';
import { type AnyObject, newId, resourceOf, toStorable } from './kinds/kinds-scene.ts';
import { MINIMAL_OBJECTS } from './kinds/minimal-objects.ts';
import type { Scene as SharedScene } from './kube/scene.ts';

type Scene = Omit<SharedScene, 'undo'>;

/** Samples that the CRDs of the time refused themselves, so that no cluster holds them. */
const REFUSED_THEN: Readonly<Record<Era, readonly string[]>> = {
  May: [
    'without any wish',
    'with zeros and empty texts where nothing is meant',
    'with a condition that has no time at all',
    'template of August, named by its hash',
  ],
  August: ['with a condition that has no time at all'],
};

/** Objects that only we write: as much as there is to say, and as little. */
const OURS: readonly Sample[] = [
  ...EXAMPLES.map((example) => ({ ...example, story: 'of ours, with all there is to say' })),
  ...MINIMAL_OBJECTS.map((sample) => ({ ...sample, story: `of ours, ${sample.story}` })),
];

test('M30 a rollback to a revision that knew no pool prefix is accepted, and a definition that requires one is found out', async (t) => {
  const cluster = await startCluster({ parts: 'api' });
  t.after(() => cluster.stop());
  const scene = { cluster, client: await cluster.client(), namespace: 'default', signal: t.signal };
  const { kind } = MACHINES;
  await installOurKinds(scene);
  const rollBack = async (): Promise<unknown> => {
    const spec = { fleetName: 'macos', adoptPoolPrefix: 'tuist-pool-' };
    const { metadata } = await storeOne(scene, { kind, metadata: { ...place, name: newId() }, spec });
    const body = { spec: { adoptPoolPrefix: null } };
    return scene.client.patch(MACHINES, { ...place, name: metadata.name }, { type: 'merge', body }, scene);
  };
  await rollBack();
  const description = 'a mutant';
  const input = JSON.stringify(requirePrefix(description));
  const { code, stderr } = await cluster.kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], { input });
  assert.equal(code, 0, stderr);
  await untilDescribed(scene, kind, description);
  await assert.rejects(rollBack(), { kind: 'invalid', message: /adoptPoolPrefix/ });
});

const place = { namespace: 'default' } as const;

interface Mutable {
  readonly properties: { readonly spec: { readonly default?: unknown } };
}

/** Our definition of machines as the trap of the original had it (seed 004). */
const requirePrefix = (description: string): object => {
  const definition = toCustomResourceDefinition(machineKind);
  const versions = definition.spec.versions.map((version) => {
    const schema: Mutable = JSON.parse(JSON.stringify(version.schema.openAPIV3Schema));
    // Without a default for all of it, which would lack the field.
    const { default: _default, ...spec } = schema.properties.spec;
    const properties = { ...schema.properties, spec: { ...spec, required: ['adoptPoolPrefix'] } };
    const mutated = { ...schema, description, properties };
    return { ...version, schema: { openAPIV3Schema: mutated } };
  });
  return { ...definition, spec: { ...definition.spec, versions } };
};

test('I-17 R29 an upgrade in place and the way back', async (t) => {
  const cluster = await startCluster({ parts: 'api' });
  t.after(() => cluster.stop());
  const client = await cluster.client();
  for (const era of ERAS) {
    const namespace = era.toLowerCase();
    await client.create(NAMESPACES, { metadata: { name: namespace } }, { signal: t.signal });
    const scene = { cluster, client, namespace, signal: t.signal };
    await t.test(`from the CRDs of ${era}`, (each) => travel(each, scene, era));
  }
});

const travel = async (t: TestContext, scene: Scene, era: Era): Promise<void> => {
  const wasThere = ({ kind }: { readonly kind: string }): boolean => goKindsOf(era).includes(kind);
  await installGoKinds(scene, era);
  const theirs = await storeAll(scene, GO_OBJECTS.filter(wasThere));
  await t.test('begins with all that a cluster of that time can hold', () => {
    const kept = new Set(theirs.map(({ story }) => story));
    const refused = GO_OBJECTS.filter((sample) => wasThere(sample) && !kept.has(sample.story));
    assert.deepEqual(
      refused.map(({ story }) => story),
      REFUSED_THEN[era],
    );
  });

  await installOurKinds(scene);
  for (const stored of theirs) {
    await t.test(`lets us go on with a ${stored.kind} ${stored.story}`, () => goOnAsWeDo(scene, stored));
  }
  const ours = await storeAll(scene, OURS);
  await t.test('holds all of ours then', () => assert.equal(ours.length, OURS.length));

  await installGoKinds(scene, era);
  for (const stored of [...theirs, ...ours].filter(wasThere)) {
    await t.test(`lets the Go original go on with a ${stored.kind} ${stored.story}`, () =>
      goOnAsTheyDid(scene, stored),
    );
  }
};

interface Stored {
  readonly story: string;
  readonly kind: Sample['kind'];
  readonly object: AnyObject;
}

/** Stores what the server accepts, each under a name of its own. */
const storeAll = async (scene: Scene, samples: readonly Sample[]): Promise<readonly Stored[]> => {
  const stored: Stored[] = [];
  for (const { story, kind, object: sample } of samples) {
    const wanted = toStorable(sample, scene.namespace, { name: newId() });
    const object = await storeOne(scene, wanted).catch(unlessInvalid);
    if (object !== undefined) stored.push({ story, kind, object });
  }
  return stored;
};

const storeOne = async (scene: Scene, { status, ...wanted }: AnyObject): Promise<AnyObject> => {
  const created = await scene.client.create(resourceOf(wanted.kind ?? ''), wanted, { signal: scene.signal });
  return status === undefined ? created : saveStatus(scene, created, status);
};

const unlessInvalid = (error: unknown): undefined => {
  if (error instanceof FleetError && error.kind === 'invalid') return undefined;
  throw error;
};

const saveStatus = ({ client, signal }: Scene, object: AnyObject, status: unknown): Promise<AnyObject> =>
  client.patch(
    resourceOf(object.kind ?? ''),
    keyOf(object),
    { type: 'merge', body: { status } },
    { subresource: 'status', signal },
  );

/** Touches the object itself, which makes the server look at all of it again. */
const annotate = ({ client, signal }: Scene, object: AnyObject, key: string): Promise<AnyObject> =>
  client.patch(
    resourceOf(object.kind ?? ''),
    keyOf(object),
    { type: 'merge', body: { metadata: { annotations: { [key]: 'x' } } } },
    { signal },
  );

/** Touches it while its old conditions still stand there, reads it, saves what was read, and sets what we set. */
const goOnAsWeDo = async (scene: Scene, { kind, object }: Stored): Promise<void> => {
  const touched = await annotate(scene, object, 'ours');
  const { status } = PARSERS[kind](touched) as AnyObject;
  const saved = status === undefined ? touched : await saveStatus(scene, touched, status);
  assert.equal(hasLegacyConditions(saved), false);
  if (status === undefined || kind === 'ScalewayAppleSiliconMachineTemplate') return;
  await assert.rejects(saveStatus(scene, saved, { conditions: [LEGACY] }), { kind: 'invalid', message: /reason/ });
};

const LEGACY = { type: 'Bootstrapped', status: 'True', lastTransitionTime: '2026-08-20T08:00:00Z' };

/** Touches it while our conditions still stand there, and saves conditions as the Go original writes them. */
const goOnAsTheyDid = async (scene: Scene, { kind, object }: Stored): Promise<void> => {
  const touched = await annotate(scene, object, 'theirs');
  if (touched.status === undefined || kind === 'RunnerPool' || kind === 'ScalewayAppleSiliconMachineTemplate') return;
  await saveStatus(scene, touched, { ready: false, conditions: [LEGACY, { ...LEGACY, type: 'Provisioned' }] });
};
