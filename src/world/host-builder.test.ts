/** Builder fleets on the virtual clock: Macs that register at GitHub besides being Nodes. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { createGitHub, type SendToGitHub } from '../github/github-api.ts';
import { createSimGitHub } from '../github/testing/sim-github.ts';
import { createHostPreparer } from '../hosts/host-preparer.ts';
import { MAC_HOSTS } from '../kinds/mac-host.ts';
import { SECRETS } from '../kube/types/core.ts';
import { createRunnerRegistrations } from '../provider/fleet/runner-token.ts';
import { forEachCrashPoint } from '../sim/kernel/crash-points.ts';
import { createStepLevelConfiguration } from '../sim/mac/step-level-configuration.ts';
import { renderDemo } from './demo-fleet.ts';
import { createFleetWorld, type FleetWorldOptions } from './fleet-world.ts';
import { freeHosts, isTold, pass, readyMachines, runUntil, scale } from './testing/fleet-run.ts';

const PAIR = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const PRIVATE = PAIR.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
const encode = (text: string): string => Buffer.from(text).toString('base64');
const RUNNER = { ghOrg: 'tuist', ghRunnerVersion: '2.330.0', ghAppSecretName: 'github-app' };

/** A fleet of builders, and a GitHub that knows their App; it can be away. */
const startBuilders = (options: Omit<FleetWorldOptions, 'macs' | 'adjust'>) => {
  let nowMs = (): number => 0;
  const publicKey = PAIR.publicKey.export({ format: 'pem', type: 'spki' }).toString();
  const app = { appId: '7', installationId: '42', organisation: 'tuist', publicKey };
  const sim = createSimGitHub({ ...app, nowMs: () => nowMs() });
  const github = { asked: sim.asked, isAway: false };
  const send: SendToGitHub = async (url, init) => {
    if (github.isAway) throw new Error('no route to host');
    return sim.send(url, init);
  };
  const world = createFleetWorld({
    ...options,
    macs: 1,
    adjust: (ports) => {
      nowMs = ports.clock.now;
      const { client, clock } = ports;
      return { ...ports, runners: createRunnerRegistrations({ client, github: createGitHub({ send, clock }) }) };
    },
  });
  for (const { resource, object } of renderDemo(1)) {
    const template = { spec: { fleetName: 'builders', ghActionsRunner: RUNNER } };
    world.operator.apply({
      resource,
      object: resource.kind.endsWith('Template') ? { ...object, ...{ spec: { template } } } : object,
    });
  }
  const putApp = (key = PRIVATE): void =>
    world.operator.apply({
      resource: SECRETS,
      object: {
        metadata: { name: 'github-app', namespace: 'default' },
        ...{ data: { 'app-id': encode('7'), 'installation-id': encode('42'), 'private-key': encode(key) } },
      },
    });
  return { world, github, putApp };
};

const ASKED = ['POST /app/installations/42/access_tokens', 'POST /orgs/tuist/actions/runners/registration-token'];

/** Of a builder whose VMs nobody tidies away: the same after a bootstrap and after a roll. */
const builderDigest = (): string =>
  createHostPreparer({
    ...{ hosts: { open: () => Promise.reject(new Error('nobody asks')) }, ...createStepLevelConfiguration() },
    clock: { now: () => 0, elapsed: () => 0, schedule: () => () => undefined },
  }).digestOf({
    fleet: 'builders',
    role: 'builder',
    inputs: {
      ...{ githubOrg: 'tuist', runnerLabels: 'self-hosted,macos,bare-metal,vm-image-builder' },
      ...{ runnerVersion: '2.330.0', disableVmGc: 'yes' },
    },
  });

/** As in fleet-world.test.ts: MACFLEET_CRASH_POINTS=all tries every point, which takes long. */
const EVERY = process.env['MACFLEET_CRASH_POINTS'] === 'all' ? 1 : 100;

describe('a fleet of builders', () => {
  it('T-69 004-6 I-20 I-34 has Nodes that are registered at GitHub too, with a token of their own', async () => {
    const { world, github, putApp } = startBuilders({ seed: 61 });
    putApp();
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    assert.deepEqual(github.asked, ASKED);
    // The digest is that of all steps, verified: the registration at GitHub is one of them.
    await runUntil(world, 'recorded', () => world.operator.list(MAC_HOSTS)[0]?.status?.configHash !== undefined);
    assert.equal(world.operator.list(MAC_HOSTS)[0]?.status?.configHash, builderDigest());
    assert.equal(world.operator.list(MAC_HOSTS)[0]?.spec.configuration?.ghActionsRunner?.ghOrg, 'tuist');
    scale(world, 0);
    await runUntil(world, 'the return', () => freeHosts(world) === 1);
    assert.equal(world.operator.list(MAC_HOSTS)[0]?.spec.configuration, undefined);
  });

  it('is told what it lacks, or what somebody edited to nonsense, loses no Mac over it, and goes on when it is right', async () => {
    const { world, github, putApp } = startBuilders({ seed: 62 });
    const told = () => world.operator.list(MAC_HOSTS)[0]?.spec.budgets.bootstrap;
    await runUntil(world, 'told', () => told()?.lastError === 'GHRunnerRegistrationTokenUnavailable');
    await pass(world, 300_000);
    assert.equal(told()?.failures, 0);
    assert.ok(isTold(world, 'GHRunnerRegistrationTokenUnavailable'));
    github.isAway = true;
    putApp('nonsense');
    await pass(world, 300_000);
    world.operator.merge(SECRETS, 'github-app', { data: { 'private-key': encode(PRIVATE) } });
    await pass(world, 300_000);
    assert.equal(told()?.failures, 0);
    const verbs = world.cloud.audit().map(({ verb }) => verb);
    assert.deepEqual(
      verbs.filter((verb) => verb !== 'rename'),
      [],
    );
    github.isAway = false;
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
  });

  it('survives its manager being killed before and after any effect', async () => {
    const kinds = ['before-effect', 'after-effect'] as const;
    const plan = { actor: 'manager', restartAfterMs: 5_000, kinds, every: EVERY };
    const points = await forEachCrashPoint(plan, async (crash) => {
      const { world, putApp } = startBuilders({ seed: 63, ...(crash === undefined ? {} : { crash }) });
      putApp();
      await runUntil(world, 'ready', () => readyMachines(world) === 1);
      return world.kernel;
    });
    assert.ok(points > 1, `${points} points`);
  });
});
