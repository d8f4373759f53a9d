/** Our definitions and those of the Go original, put in place of each other as whoever upgrades does it. */
import assert from 'node:assert/strict';
import { ALL_KINDS } from '../../../src/kinds/all-kinds.ts';
import { installKinds } from '../bench.ts';
import { eventually, type Scene } from '../kube/scene.ts';
import { describeGoKind, type Era, goDefinitions, goKindsOf } from './go-definitions.ts';
import { resourceOf } from './kinds-scene.ts';
import { readServedSchema } from './served-schema.ts';

type Place = Pick<Scene, 'cluster' | 'client' | 'signal'>;

/** The new definitions take the fields over from whoever applied the old ones. */
export const installGoKinds = async (place: Place, era: Era): Promise<void> => {
  const args = ['apply', '--server-side', '--force-conflicts', '--field-manager=helm', '-f', '-'];
  const { code, stderr } = await place.cluster.kubectl(args, { input: JSON.stringify(goDefinitions(era)) });
  assert.equal(code, 0, stderr);
  for (const kind of goKindsOf(era)) await untilDescribed(place, kind, describeGoKind(era, kind));
};

export const installOurKinds = async (place: Place, install = installKinds): Promise<void> => {
  await install(place.cluster);
  for (const { resource, description } of ALL_KINDS) await untilDescribed(place, resource.kind, description);
};

/** A changed definition is served some time after it was accepted; then its description is published. */
export const untilDescribed = (place: Place, kind: string, description: string): Promise<unknown> =>
  eventually(`${kind} is described as: ${description}`, async () => {
    const schema = await readServedSchema(place, resourceOf(kind));
    return schema['description'] === description;
  });
