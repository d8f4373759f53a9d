import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import { hostWith, SERVER_ID } from '../../kinds/testing/hosts.ts';
import { type DetachStep, planDetach } from './plan-detach.ts';

const PAUSED = { annotations: { 'cluster.x-k8s.io/paused': '' } };
const machine = (serverID: string, providerID: string, metadata: object = {}) =>
  ({
    metadata: { name: 'mac-1', namespace: 'ci', ...metadata },
    ...{ spec: { providerID }, status: { serverID } },
  }) as unknown as ScalewayAppleSiliconMachine;
const HOST = hostWith() as unknown as MacHost;
const HELD = hostWith({ hold: { reason: 'Detached' } }) as unknown as MacHost;

describe('a detachment', () => {
  const rows: readonly { story: string; wish: Parameters<typeof planDetach>[0]; steps: readonly DetachStep[] }[] = [
    {
      story: 'pauses before it clears, and deletes last',
      wish: { machine: machine(SERVER_ID, 'p'), host: HOST, keepsMachine: 'no' },
      steps: ['pause', 'clear-server', 'clear-provider-id', 'await-hold', 'delete-machine'],
    },
    {
      story: 'goes on where it was cut off',
      wish: { machine: machine('', 'p', PAUSED), host: HOST, keepsMachine: 'no' },
      steps: ['clear-provider-id', 'await-hold', 'delete-machine'],
    },
    {
      story: 'does not wait for a Mac that is held already',
      wish: { machine: machine('', '', PAUSED), host: HELD, keepsMachine: 'no' },
      steps: ['delete-machine'],
    },
    {
      story: 'waits for nobody under the Go original',
      wish: { machine: machine(SERVER_ID, 'p'), host: undefined, keepsMachine: 'yes' },
      steps: ['pause', 'clear-server', 'clear-provider-id'],
    },
  ];
  for (const { story, wish, steps } of rows) it(story, () => assert.deepEqual(planDetach(wish).steps, steps));
  it('says that nothing is done to the Mac, and who pays for it', () => {
    const { says } = planDetach({ machine: machine(SERVER_ID, 'p'), host: HOST, keepsMachine: 'no' });
    assert.match(says.join('\n'), /Nothing is done to the Mac:[\s\S]*stays held, and paid for/);
  });
  it('of a machine that is being deleted is refused: its Mac may be on its way back', () => {
    const dying = machine(SERVER_ID, 'p', { deletionTimestamp: '2026-11-17T12:00:00Z' });
    assert.throws(() => planDetach({ machine: dying, host: HOST, keepsMachine: 'no' }), {
      code: 'MachineBeingDeleted',
    });
  });
  it('of a machine without a Mac is refused', () => {
    assert.throws(() => planDetach({ machine: machine('', ''), host: undefined, keepsMachine: 'no' }), {
      code: 'NothingToDetach',
    });
  });
});
