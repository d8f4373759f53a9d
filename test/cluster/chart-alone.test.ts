/**
 * A release with one fleet alone, runners or builders, on a real cluster (macos alone is how chart-install.test.ts begins), given back in between as
 * docs/install.md says; and one whose key Scaleway does not take.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  FLEETS,
  type Fleet,
  type FleetsScene,
  fleetValues,
  openFleetsScene,
  POOL,
  untilAvailable,
} from './chart/chart-fleets.ts';
import { equipMacs, registrationsOf } from './chart/chart-github.ts';
import { CHART, NAMESPACE, PROJECT, RELEASE } from './chart/chart-scene.ts';
import type { FleetView } from './cluster-api/fleet-view.ts';
import { MAC_MS } from './cluster-api/lab-fleets.ts';
import { skipWithoutLab } from './cluster-api/mac-lab.ts';
import { createStory } from './cluster-api/story.ts';
import { eventually } from './kube/scene.ts';

/** Commands of the page, without those that only look. */
const givingBack = (): readonly (readonly string[])[] => {
  const page = readFileSync(join(PROJECT, 'docs', 'install.md'), 'utf8');
  const [, recipe = ''] = /do it \*\*while the manager runs\*\*:\n\n```sh\n(.*?)```/s.exec(page) ?? [];
  const lines = recipe.split('\n').filter((line) => /^(kubectl -n \S+ delete|helm) /.test(line));
  return lines.map((line) => line.replace(` -n ${NAMESPACE}`, '').split(' '));
};

describe('a release with one fleet alone', { timeout: 420_000, skip: skipWithoutLab() }, () => {
  const { step, play } = createStory();
  let scene: FleetsScene;
  let view: FleetView;
  before(async () => {
    scene = await openFleetsScene(['runners', 'builders']);
  });
  after(() => scene?.close());

  const valuesOf = (fleet: Fleet) => fleetValues(scene, [fleet]);
  const install = (values: string, timeout: string) =>
    scene.tryHelm('install', RELEASE, CHART, '-f', values, '--wait', '--timeout', timeout);
  const mustInstall = async (fleet: Fleet): Promise<void> => {
    const { code, stdout, stderr } = await install(scene.writeValues(fleet, await valuesOf(fleet)), '150s');
    assert.equal(code, 0, `${stdout}${stderr}\n${scene.node.logOf('').slice(-4_000)}`);
    view ??= await scene.openView();
    await untilAvailable(view, [fleet]);
    const there = (await scene.kubectl('get', 'machinedeployments', '-o', 'name')).trim();
    assert.equal(there, `machinedeployment.cluster.x-k8s.io/${FLEETS[fleet]}`);
  };

  step('runners are Available, and a job runs', async () => {
    await mustInstall('runners');
    await scene.jobs.runOne(POOL);
  });

  step('is given back as the page says: its Mac is free, and no fleet is left', async () => {
    const [scaleDown, uninstall, forget] = givingBack();
    assert.deepEqual([scaleDown?.[0], uninstall?.[0], forget?.[0]], ['kubectl', 'helm', 'kubectl']);
    await scene.kubectl(...(scaleDown ?? []).slice(1));
    const isFree = () => view.macs().every(({ status }) => status?.state === 'free');
    await view.until('all Macs are free', isFree, MAC_MS);
    await scene.helm(...(uninstall ?? []).slice(1));
    await scene.kubectl(...(forget ?? []).slice(1));
    assert.equal(await scene.kubectl('get', 'clusters,machinedeployments,machines', '-o', 'name'), '');
  });

  step('is not deployed while Scaleway refuses its key: the manager says why, and touches nothing', async () => {
    const values = await valuesOf('builders');
    const { scaleway } = values['macosFleet'] ?? {};
    const credentials = { ...Object(scaleway).credentials, secretKey: '00000000-0000-4000-b000-00000000dead' };
    const wrong = {
      ...values,
      macosFleet: { ...values['macosFleet'], scaleway: { ...Object(scaleway), credentials } },
    };
    const writes = scene.lab.cloud.audit().length;
    const { code, stderr } = await install(scene.writeValues('wrong', wrong), '8s');
    assert.notEqual(code, 0);
    assert.match(stderr, new RegExp(`${RELEASE}-manager`));
    const says = () => scene.node.logOf(`${RELEASE}-manager`).split('Scaleway refuses the API key').length - 1;
    await eventually('both managers say why', () => says() >= 2, MAC_MS);
    const ready = await scene.kubectl(
      'get',
      'deployment',
      `${RELEASE}-manager`,
      '-o',
      'jsonpath={.status.readyReplicas}',
    );
    assert.equal(ready, '');
    assert.equal(scene.lab.cloud.audit().length, writes);
    await scene.helm('uninstall', RELEASE, '--wait');
  });

  step('builders are Available, and their Mac is a runner of the organisation', async () => {
    equipMacs(scene);
    await mustInstall('builders');
    assert.deepEqual(registrationsOf(scene), ['registration-']);
  });

  it('is installed, used and given back', (t) => play((name, run) => t.test(name, run)));
});
