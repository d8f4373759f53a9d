/**
 * One chart over its whole life on a real cluster: installed with one fleet, upgraded to three, rolled, rolled back, uninstalled and installed again. Its
 * Pods run from the image, with the rights that it gives them and no others. No Mac is touched by any of that (004-1, 004-6, 004-8, 002-5).
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { neverAborted } from '../../src/base/abort.ts';
import { CLUSTER_API_RESOURCES } from '../../src/kube/types/cluster-api.ts';
import { type Node, SECRETS } from '../../src/kube/types/core.ts';
import { readAudit } from './bench/audit.ts';
import { findLeaks } from './bench/gitleaks.ts';
import {
  FLEETS,
  type Fleet,
  type FleetsScene,
  fleetValues,
  openFleetsScene,
  POOL,
  untilAvailable,
} from './chart/chart-fleets.ts';
import { registrationsOf } from './chart/chart-github.ts';
import { CHART, NAMESPACE, PROJECT, RELEASE, RUNNERS_NAMESPACE } from './chart/chart-scene.ts';
import { type Binding, grantsOf, type Role, refusedOf, unusedOf } from './chart/judge-rights.ts';
import { OTHER_DAYS } from './chart/other-days.ts';
import type { FleetView } from './cluster-api/fleet-view.ts';
import { MAC_MS } from './cluster-api/lab-fleets.ts';
import { skipWithoutLab } from './cluster-api/mac-lab.ts';
import { createStory } from './cluster-api/story.ts';

const ALL: readonly Fleet[] = ['macos', 'runners', 'builders'];

/** What a manager asks for although it may not: whether there is something of the original's to remove. Without takeover.enabled there is not. */
const REFUSED = [`${RELEASE}-manager list /serviceaccounts in ${NAMESPACE}`];

describe('a release of the chart', { timeout: 420_000, skip: skipWithoutLab() }, () => {
  const { step, play } = createStory();
  let scene: FleetsScene;
  let view: FleetView;
  before(async () => {
    scene = await openFleetsScene(ALL);
  });
  after(() => scene?.close());

  const writeValues = async (name: string, fleets: readonly Fleet[], word = '') => {
    const values = await fleetValues(scene, fleets);
    return scene.writeValues(name, { ...values, manager: { ...values['manager'], podAnnotations: { word } } });
  };
  const wait = ['--wait', '--timeout', '150s'] as const;
  /** Everything that must not change while releases come and go. */
  const standing = async () => {
    const { client, lab } = scene;
    const signal = neverAborted();
    const kubeconfig = await client.get(
      SECRETS,
      { namespace: NAMESPACE, name: `${RELEASE}-capi-kubeconfig` },
      { signal },
    );
    const machines = await client.list(CLUSTER_API_RESOURCES.machines, { namespace: NAMESPACE, signal });
    return {
      kubeconfig: kubeconfig.metadata.uid,
      machines: machines.items.map(({ metadata, status }) => [metadata.uid, status?.phase]).toSorted(),
      macs: view
        .macs()
        .map(({ metadata, spec, status }) => [metadata.name, spec.claimRef?.uid, spec.epoch, status?.state]),
      writes: lab.cloud.audit().map(({ verb }) => verb),
    };
  };
  const assertUndisturbed = async (run: () => Promise<unknown>): Promise<void> => {
    const earlier = await standing();
    await run();
    assert.deepEqual(await standing(), earlier);
  };

  step('is installed with one fleet, and its Mac is a Node', async () => {
    await scene.helm('install', RELEASE, CHART, '-f', await writeValues('one', ['macos']), ...wait);
    view = await scene.openView();
    await untilAvailable(view, ['macos']);
  });

  step(
    'gets the other two fleets by an upgrade, which leaves the first alone; a job runs, and the builder is known to GitHub',
    async () => {
      const [first] = (await standing()).machines;
      await scene.helm('upgrade', RELEASE, CHART, '-f', await writeValues('three', ALL), ...wait);
      await untilAvailable(view, ALL);
      assert.ok((await standing()).machines.some(([uid]) => uid === first?.[0]));
      await scene.jobs.runOne(POOL);
      assert.deepEqual(registrationsOf(scene), ['registration-']);
    },
  );

  step('lets no second release beside it, and says where the first is', async () => {
    const second = await scene.tryHelm('install', 'second', CHART, '-f', await writeValues('second', ['macos']));
    assert.notEqual(second.code, 0);
    assert.match(second.stderr, /already installed in this cluster, as release macfleet in namespace macfleet-system/);
    assert.doesNotMatch(await scene.kubectl('get', 'deployments,secrets', '-o', 'name'), /second/);
  });

  step('rolls its controllers and nothing else', async () => {
    const values = await writeValues('rolled', ALL, 'second');
    await assertUndisturbed(() => scene.helm('upgrade', RELEASE, CHART, '-f', values, ...wait));
  });

  step('wanted no right that the chart does not give (S40)', async () => {
    assert.deepEqual(refusedOf(readAudit(scene.cluster)), REFUSED);
  });

  step('is rolled back to where it had one fleet, without a word from a CRD: the others stay', async () => {
    await assertUndisturbed(() => scene.helm('rollback', RELEASE, '1', ...wait));
    await untilAvailable(view, ALL);
  });

  step('is uninstalled: Macs, Machines and the kubeconfig stay, and it says so', async () => {
    await assertUndisturbed(async () => {
      const said = await scene.helm('uninstall', RELEASE, ...wait);
      assert.match(said, new RegExp(`MachineDeployment.*${FLEETS.macos}|${FLEETS.macos}`));
    });
    const ready = view.nodes.list().filter(isReady);
    assert.equal(ready.length, ALL.length, 'agents on Macs go on alone');
  });

  step('is installed again, and goes on where it was', async () => {
    await assertUndisturbed(async () => {
      await scene.helm('install', RELEASE, CHART, '-f', await writeValues('again', ALL), ...wait);
      await untilAvailable(view, ALL);
    });
  });

  step('gives a Mac back, wiped, when a person deletes its fleet as the notes say', async () => {
    const [mac] = view.macs().filter(({ spec }) => spec.claimRef?.name.startsWith(FLEETS.macos));
    await scene.kubectl('delete', 'machinedeployment', FLEETS.macos, '--wait=false');
    const isFree = () =>
      view.macs().some(({ metadata, status }) => metadata.name === mac?.metadata.name && status?.state === 'free');
    await view.until('its Mac is free', isFree, MAC_MS);
  });

  step('has used every right that the chart gives, but for those of other days (S40)', async () => {
    const read = async <T>(kinds: string): Promise<readonly T[]> =>
      JSON.parse(await scene.kubectl('get', kinds, '-A', '-o', 'json')).items;
    const bindings = await read<Binding>('clusterrolebindings,rolebindings');
    const grants = grantsOf(await read<Role>('clusterroles'), bindings, [NAMESPACE, RUNNERS_NAMESPACE]);
    const declared = OTHER_DAYS.flatMap(({ rights }) => rights);
    const needless = unusedOf(grants, readAudit(scene.cluster)).filter((right) => !declared.includes(right));
    assert.deepEqual(needless, []);
    const given = new Set(grants.map(({ right }) => right));
    assert.deepEqual(
      declared.filter((right) => !given.has(right)),
      [],
      'declared, but not given any more',
    );
    assert.deepEqual(
      OTHER_DAYS.filter(({ shown }) => !existsSync(join(PROJECT, shown))),
      [],
    );
  });

  step('told nobody its secrets', async () => {
    const log = scene.node.logOf('');
    assert.ok(log.includes('Leader lease acquired'));
    const [logs, image] = [await findLeaks(scene.node.logs), await findLeaks(scene.node.root)];
    assert.deepEqual([logs.found, image.found], [[], []]);
    assert.ok(logs.bytes >= log.length && image.bytes > 1_000_000);
    // That of a simulated project is none to the search.
    const { SCW_SECRET_KEY: secret = '' } = scene.lab.environments.first;
    assert.ok(secret !== '' && !log.includes(secret));
  });

  it('comes, changes and goes', (t) => play((name, run) => t.test(name, run)));
});

const isReady = ({ spec, status }: Node): boolean =>
  spec?.providerID?.startsWith('scw-') === true &&
  (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True');
