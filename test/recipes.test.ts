/** Every recipe of docs/operating.md does what it promises: its very words are run on a simulated fleet. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAC_HOSTS, type MacHost } from '../src/kinds/mac-host.ts';
import { MACHINES } from '../src/kinds/machine.ts';
import { CLUSTER_API_RESOURCES } from '../src/kube/types/cluster-api.ts';
import { NODES } from '../src/kube/types/core.ts';
import { renderDemo } from '../src/world/demo-fleet.ts';
import { createFleetWorld, type FleetWorld } from '../src/world/fleet-world.ts';
import { BOUNDS, checkOf, freeHosts, readyMachines, runUntil, startWorld } from '../src/world/testing/fleet-run.ts';
import { readRecipes, runRecipe } from './recipes/recipes.ts';
import { splitWords } from './recipes/shell.ts';

/** A fleet `macos` of one machine, ready. */
const start = async (seed: number, macs = 1) => {
  const world = startWorld({ seed, macs }, 1);
  await runUntil(world, 'ready', () => readyMachines(world) === 1);
  const machine = world.operator.list(MACHINES)[0];
  const [name = '', id = ''] = [machine?.metadata.name, machine?.status?.serverID];
  return { world, name, id, given: { FLEET: 'macos', CLUSTER: 'demo', MACHINE: name, HOST: id } };
};

/** A machine whose Mac is being prepared. */
const startPreparing = async (seed: number) => {
  const world = startWorld({ seed, macs: 1 });
  const id = world.cloud.servers()[0]?.id ?? '';
  await runUntil(world, 'preparing', () => hostOf(world, id)?.status?.state === 'preparing');
  return { world, given: { HOST: id } };
};

const hostOf = ({ operator }: FleetWorld, id: string): MacHost | undefined =>
  operator.list(MAC_HOSTS).find(({ metadata }) => metadata.name === id);

const countOf = ({ cloud }: FleetWorld, id: string, verb: string): number =>
  cloud.audit().filter((entry) => entry.serverId === id && entry.verb === verb).length;

const pass = async (world: FleetWorld, ms: number): Promise<void> => {
  await world.kernel.run({ ...BOUNDS, maxVirtualMs: ms, check: checkOf(world) });
};

const WHILE_MS = 900_000;

const look = async (): Promise<void> => {
  const { world, given, id } = await start(1);
  const { HOST: _, ...known } = given;
  assert.equal((await runRecipe(world, 'look', known)).get('HOST'), id);
};

const scale = async (): Promise<void> => {
  const { world, given } = await start(2, 2);
  await runRecipe(world, 'scale', given);
  assert.equal(readyMachines(world), 2);
};

const replace = async (): Promise<void> => {
  const { world, given, id, name } = await start(3);
  await runRecipe(world, 'replace', given);
  assert.equal(countOf(world, id, 'reinstall'), 1);
  assert.ok(world.operator.list(MACHINES).every(({ metadata }) => metadata.name !== name));
  await runUntil(world, 'another machine is ready', () => readyMachines(world) === 1);
};

const terminate = async (): Promise<void> => {
  const { world, given, id } = await start(4);
  await runRecipe(world, 'terminate', given);
  await runUntil(world, 'scheduled', () => world.cloud.server(id)?.isDeletionScheduled === true);
  assert.equal(countOf(world, id, 'reinstall'), 0);
};

const detach = async (): Promise<void> => {
  const { world, given, id } = await start(5);
  await runRecipe(world, 'detach', given);
  await pass(world, WHILE_MS);
  assert.equal(hostOf(world, id)?.status?.state, 'held');
  assert.equal(countOf(world, id, 'reinstall'), 0);
};

const releaseHeld = async (): Promise<void> => {
  const { world, given, id } = await start(6);
  await runRecipe(world, 'detach', given);
  world.operator.merge(CLUSTER_API_RESOURCES.machineDeployments, 'macos', { spec: { replicas: 0 } });
  await runRecipe(world, 'release-held', given);
  assert.equal(countOf(world, id, 'reinstall'), 1);
  assert.equal(freeHosts(world), 1);
};

const releaseQuarantined = async (): Promise<void> => {
  const world = startWorld({ seed: 7, macs: 3 }, 1);
  await runUntil(world, 'chosen', () => world.operator.list(MACHINES)[0]?.status?.serverID !== undefined);
  const id = world.operator.list(MACHINES)[0]?.status?.serverID ?? '';
  world.macs.mac(id).addStepFault({ step: 'tart', kind: 'exit', times: 8, output: 'no space' });
  world.operator.merge(MAC_HOSTS, id, { spec: { budgets: { returns: 2 } } });
  await runUntil(world, 'quarantined', () => hostOf(world, id)?.status?.state === 'quarantined');
  await runRecipe(world, 'release-quarantined', { HOST: id });
  assert.equal(hostOf(world, id)?.spec.budgets.returns, 0);
};

const hold = async (): Promise<void> => {
  const { world, given } = await startPreparing(8);
  await runRecipe(world, 'hold', given);
  await pass(world, WHILE_MS);
  assert.equal(readyMachines(world), 0, 'a Mac that is held was prepared');
};

const liftHold = async (): Promise<void> => {
  const { world, given } = await startPreparing(9);
  await runRecipe(world, 'hold', given);
  await pass(world, WHILE_MS);
  await runRecipe(world, 'lift-hold', given);
  assert.equal(readyMachines(world), 1);
};

const reboot = async (): Promise<void> => {
  const { world, given, id } = await start(10);
  await runRecipe(world, 'reboot', given);
  await pass(world, WHILE_MS);
  assert.equal(countOf(world, id, 'reboot'), 1);
};

const unstickSudo = async (): Promise<void> => {
  const world = startWorld({ seed: 11, macs: 1 });
  const id = world.cloud.servers()[0]?.id ?? '';
  world.macs.mac(id).addStepFault({ step: 'sudo', kind: 'exit', times: 2, output: 'sudo: the account is locked' });
  await runUntil(world, 'stuck', () => (hostOf(world, id)?.spec.budgets.bootstrap.failures ?? 0) > 0);
  await runRecipe(world, 'unstick-sudo', { HOST: id });
  assert.equal(countOf(world, id, 'reboot'), 1);
  assert.equal(countOf(world, id, 'reinstall'), 0);
};

const sudoByHand = async (): Promise<void> => {
  const world = startWorld({ seed: 17, macs: 1 });
  const id = world.cloud.servers()[0]?.id ?? '';
  world.macs.mac(id).changePassword();
  const isStuck = (): boolean => hostOf(world, id)?.spec.budgets.bootstrap.lastError === 'SudoPasswordRefused';
  await runUntil(world, 'stuck', isStuck);
  await runRecipe(world, 'sudo-by-hand', { HOST: id });
  assert.equal(countOf(world, id, 'reinstall'), 0);
  assert.equal(readyMachines(world), 1);
};

const clearFailure = async (): Promise<void> => {
  const { world, given, id } = await start(12);
  const hash = (): string | undefined => hostOf(world, id)?.status?.configHash;
  const before = hash();
  world.macs.mac(id).addStepFault({ step: 'agent-bundle', kind: 'exit', times: 5, output: 'no room' });
  world.upgrade('2');
  await runUntil(world, 'given up', () => world.operator.list(MACHINES)[0]?.status?.failureReason !== undefined);
  await runRecipe(world, 'clear-failure', given);
  await runUntil(world, 'the new configuration', () => hash() !== before && hash() !== undefined);
  const [machine] = world.operator.list(MACHINES);
  assert.deepEqual(
    [machine?.status?.failureReason, machine?.status?.tartKubeletUpdateAttempts],
    [undefined, undefined],
  );
};

const invalidOsPin = async (): Promise<void> => {
  const world = createFleetWorld({ seed: 13, macs: 1 });
  for (const { resource, object } of renderDemo(1)) {
    const spec = { template: { spec: { fleetName: 'macos', os: 'macos-tahoe-26.3' } } };
    const isTemplate = resource.kind === 'ScalewayAppleSiliconMachineTemplate';
    world.operator.apply({ resource, object: isTemplate ? Object.assign({}, object, { spec }) : object });
  }
  const reasonOf = (): string | undefined =>
    world.operator.list(MACHINES)[0]?.status?.conditions?.find(({ type }) => type === 'Provisioned')?.reason;
  await runUntil(world, 'refused', () => reasonOf() === 'InvalidOSPin');
  await runRecipe(world, 'invalid-os-pin', { MACHINE: world.operator.list(MACHINES)[0]?.metadata.name ?? '' });
  assert.equal(readyMachines(world), 1);
};

const joinAnew = async (): Promise<void> => {
  const { world, given, id, name } = await start(14);
  const nodeUid = (): string | undefined =>
    world.operator.list(NODES).find(({ metadata }) => metadata.name === name)?.metadata.uid;
  const before = nodeUid();
  await runRecipe(world, 'join-anew', given);
  assert.ok(nodeUid() !== undefined && nodeUid() !== before);
  assert.equal(countOf(world, id, 'reinstall'), 0);
};

/** A fleet that is paused as soon as it has a machine. */
const startPaused = async (seed: number): Promise<FleetWorld> => {
  const world = startWorld({ seed, macs: 1 });
  await runUntil(world, 'a machine', () => world.operator.list(MACHINES).length === 1);
  await runRecipe(world, 'pause', { CLUSTER: 'demo' });
  await pass(world, WHILE_MS);
  return world;
};

const pause = async (): Promise<void> => {
  const world = await startPaused(15);
  assert.equal(readyMachines(world), 0, 'a fleet that is paused went on');
  assert.ok(world.cloud.audit().length <= 1, 'a Mac of a fleet that is paused was written to');
};

const resume = async (): Promise<void> => {
  const world = await startPaused(16);
  await runRecipe(world, 'resume', { CLUSTER: 'demo', FLEET: 'macos' });
  assert.equal(readyMachines(world), 1);
};

const STORIES: Readonly<Record<string, () => Promise<void>>> = {
  look,
  scale,
  replace,
  terminate,
  detach,
  'release-held': releaseHeld,
  'release-quarantined': releaseQuarantined,
  hold,
  'lift-hold': liftHold,
  reboot,
  'unstick-sudo': unstickSudo,
  'sudo-by-hand': sudoByHand,
  'clear-failure': clearFailure,
  'invalid-os-pin': invalidOsPin,
  'join-anew': joinAnew,
  pause,
  resume,
};

describe('the recipe', () => {
  it('is run here, whichever the page has', () => {
    assert.deepEqual([...readRecipes().keys()].toSorted(), Object.keys(STORIES).toSorted());
  });
  for (const [id, story] of Object.entries(STORIES)) it(`${id} does what the page says`, story);
});

describe('a recipe that is wrong fails', () => {
  const rows: readonly { story: string; line: string; says: RegExp }[] = [
    { story: 'for a variable that is not set', line: 'kubectl delete node $NOBODY', says: /\$NOBODY is not set/ },
    { story: 'for a pipe', line: 'kubectl get nodes | head', says: /more shell/ },
    { story: 'for a quote that stays open', line: "kubectl patch samm a -p '{", says: /no command/ },
  ];
  for (const { story, line, says } of rows) {
    it(story, () => assert.throws(() => splitWords(line, new Map()), says));
  }
  it('and is otherwise read as a shell reads it', () => {
    const words = splitWords(`a  "b $X" 'c $X'$X-d # e`, new Map([['X', '1']]));
    assert.deepEqual(words, ['a', 'b 1', 'c $X1-d']);
  });
});
