import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../base/secret.ts';
import { createSimCloud } from '../sim/cloud/sim-cloud.ts';
import { createKernel } from '../sim/kernel/kernel.ts';
import { createSimMacs } from '../sim/mac/sim-macs.ts';
import { parseSimulation, renderSimulation } from './saved-simulation.ts';

/** Two Macs, one of which somebody has worked on. */
const simulate = () => {
  const { clock, random } = createKernel({ seed: 1 }).actor('world');
  const cloud = createSimCloud({ clock, random });
  const ids = ['tuist-pool-1', 'mac-2'].map((name) => cloud.addServer({ name }).id);
  const fleetKey = new Secret('key');
  const macs = createSimMacs({ cloud, clock, random, fleetKey, startAgent: () => () => undefined });
  const [, used = ''] = ids;
  const epochFile = { claim: 'uid-1', epoch: 3 };
  macs.mac(used).plantLeftover({ epochFile, kubeconfig: new Secret('{}'), lock: { owner: 'anna', expiresAtMs: 5 } });
  return { cloud: cloud.save(), disks: macs.save() };
};

describe('a saved simulation', () => {
  it('is read as it was written', () => {
    const simulation = simulate();
    const read = parseSimulation(renderSimulation(simulation));
    assert.deepEqual(read, JSON.parse(JSON.stringify({ version: 2, ...simulation })));
    assert.deepEqual(Object.values(read.disks)[1]?.epochFile, { claim: 'uid-1', epoch: 3 });
  });

  const spoil = (change: (saved: { disks: Record<string, object> }) => object): string =>
    JSON.stringify(change(JSON.parse(renderSimulation(simulate()))));
  const rows: readonly { readonly story: string; readonly text: string; readonly why: RegExp }[] = [
    { story: 'that is cut off', text: renderSimulation(simulate()).slice(0, -5), why: /JSON/ },
    { story: 'that is something else', text: '[]', why: /no saved simulation/ },
    { story: 'of another version', text: spoil((saved) => ({ ...saved, version: 1 })), why: /of version 1/ },
    {
      story: 'without its cloud',
      text: spoil(({ disks }) => ({ version: 2, disks })),
      why: /cloud: /,
    },
    {
      story: 'with a disk that lost a field',
      text: spoil((saved) => ({ ...saved, disks: { a: { hostKey: 'k' } } })),
      why: /disks\.a\.isKeyAuthorized: /,
    },
    {
      story: 'with a field that nobody knows',
      text: spoil((saved) => ({ ...saved, more: true })),
      why: /more/,
    },
  ];
  for (const { story, text, why } of rows)
    it(`${story} is refused, and says why`, () => {
      assert.throws(() => parseSimulation(text), { code: 'SimulationUnusable', message: why });
    });
});
