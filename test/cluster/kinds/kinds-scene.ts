/** What the tests of our kinds on a real API server share: the kinds installed, and objects that belong to one test alone. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { neverAborted } from '../../../src/base/abort.ts';
import { createIds } from '../../../src/base/ids.ts';
import { isRecord } from '../../../src/base/json.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import { ALL_KINDS } from '../../../src/kinds/all-kinds.ts';
import { MAC_HOSTS } from '../../../src/kinds/mac-host.ts';
import { SERVER_ID } from '../../../src/kinds/testing/hosts.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { type KubeObject, keyOf } from '../../../src/kube/types/meta.ts';
import type { Resource } from '../../../src/kube/types/resource.ts';
import { installKinds } from '../bench.ts';
import { eventually, openScene, type Scene } from '../kube/scene.ts';

export const openKindsScene = async (t: TestContext): Promise<Scene> => {
  const scene = await openScene(t);
  await installKinds(scene.cluster);
  await eventually('kubectl knows the kinds', async () => {
    // Asked like this, kubectl looks again instead of believing what it kept.
    const { stdout } = await scene.cluster.kubectl(['api-resources', '--output', 'name']);
    const known = new Set(stdout.split('\n'));
    return ALL_KINDS.every(({ resource: { plural, group } }) => known.has(`${plural}.${group}`));
  });
  return scene;
};

/** What nobody else in the cluster is called. */
export const newId = (): string => createIds(createSystemRandom()).uuid();

/** An object whose schema is the server's business. */
export interface AnyObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

export const resourceOf = (kindName: string): Resource<AnyObject> => {
  const found = ALL_KINDS.find(({ resource }) => resource.kind === kindName);
  if (found === undefined) throw new Error(`${kindName} is not a kind of ours`);
  return found.resource;
};

/** The sample with another server in the place of SERVER_ID: a cluster has one MacHost of a name. */
export const withServer = <T>(sample: T, serverId: string): T => {
  const parseCopy = (text: string) => JSON.parse(text.replaceAll(SERVER_ID, serverId)) as T;
  return parseCopy(JSON.stringify(sample));
};

interface Own {
  /** Of the object, unless it is a MacHost. */
  readonly name?: string;
  readonly serverId?: string;
}

/** The sample as this test may store it: in its namespace, without what only a server writes, and of a Mac of its own. */
export const toStorable = (sample: unknown, namespace: string, own: Own = {}): AnyObject => {
  const object = withServer(sample, own.serverId ?? newId());
  if (!isRecord(object) || !isRecord(object['metadata'])) throw new Error('a sample is an object with metadata');
  const { name, labels, annotations, finalizers } = object['metadata'];
  const place = object['kind'] === MAC_HOSTS.kind ? { name } : { name: own.name ?? name, namespace };
  const parseSample = (metadata: object) => ({ ...object, metadata }) as unknown as AnyObject;
  return parseSample({
    ...place,
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
    ...(finalizers !== undefined && { finalizers }),
  });
};

/** Stores the object, its status too; a MacHost goes when the test ends, the rest goes with the namespace. */
export const store = async ({ client, signal, undo }: Scene, object: AnyObject): Promise<AnyObject> => {
  const resource = resourceOf(object.kind ?? '');
  const created = await client.create(resource, object, { signal });
  if (resource.scope === 'Cluster') undo(() => remove(client, resource, created));
  if (object.status === undefined) return created;
  return client.update(resource, { ...created, status: object.status }, { subresource: 'status', signal });
};

/** Without what its finalizers wait for. */
const remove = async (client: KubeClient, resource: Resource<AnyObject>, object: AnyObject): Promise<void> => {
  const options = { signal: neverAborted() };
  const patch = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
  await client.patch(resource, keyOf(object), patch, options);
  await client.delete(resource, keyOf(object), options);
};

/** What kubectl prints, run in the namespace of the scene; it must end well. */
export const kubectl = async (
  { cluster, namespace }: Scene,
  args: readonly string[],
  input?: string,
): Promise<string> => {
  const options = input === undefined ? {} : { input };
  const { code, stdout, stderr } = await cluster.kubectl([...args, '--namespace', namespace], options);
  assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
};
