/** A bootstrap whose connection breaks at every point there is, and is then run again. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { inspect } from 'node:util';
import { neverAborted } from '../base/abort.ts';
import { Secret } from '../base/secret.ts';
import type { MacView } from '../sim/mac/sim-mac.ts';
import { createStepLevelConfiguration } from '../sim/mac/step-level-configuration.ts';
import { createHostPreparer } from './host-preparer.ts';
import { renderBatchArgv } from './port/batch-wire.ts';
import type { Hosts, Preparation } from './port.ts';
import type { SudoTry } from './sudo-tries.ts';
import { createOneMac } from './testing/one-mac.ts';

const privateKey = new Secret('canary-private-key');
const kubeconfig = new Secret('users:\n- token: canary-kubeconfig-token\n');
const signal = neverAborted();

const stage = () => {
  const { clock, server, mac, hosts: direct } = createOneMac(privateKey);
  /** Everything that anybody may see: arguments, answers, errors, progress, records. */
  const seen: unknown[] = [];
  const hosts: Hosts = {
    open: async (...args) => {
      const session = await direct.open(...args);
      return {
        ...session,
        run: async (batch, stop) => {
          seen.push(renderBatchArgv('program', batch));
          const answer = await session.run(batch, stop);
          seen.push(answer);
          return answer;
        },
      };
    },
  };
  const preparer = createHostPreparer({ hosts, clock, ...createStepLevelConfiguration() });
  const tries: SudoTry[] = [];
  const target = { address: server.address, user: 'm1', privateKey, pinnedHostKey: mac.view().hostKey };
  let epoch = 0;
  const prepare = async (): Promise<string> => {
    epoch += 1;
    const record = async (tried: SudoTry): Promise<void> => {
      tries.push(tried);
    };
    const preparation: Preparation = {
      ...{ target, epoch, claim: 'uid-1', nodeName: 'mac-1', providerId: 'scw-applesilicon://z/1', fleet: 'runners' },
      ...{ kubeconfig, sudo: { password: server.password, tries: [...tries], record } },
      onProgress: (steps) => seen.push(steps),
    };
    try {
      await preparer.prepare(preparation, signal);
      return 'prepared';
    } catch (error) {
      seen.push(error, inspect(error, { depth: 9 }));
      return error instanceof Error ? `${Reflect.get(error, 'code')}` : String(error);
    }
  };
  const leaks = (): boolean => {
    const text = JSON.stringify([seen, tries]) + inspect([seen, tries], { depth: 12 });
    return text.includes('canary') || text.includes(server.password.reveal());
  };
  return { mac, prepare, leaks };
};

/** Steps that were on record as verified, and were applied again nevertheless. */
const repeated = (before: MacView, after: MacView): readonly string[] =>
  Object.keys(before.recorded).filter((step) => before.applies[step] !== after.applies[step]);

/** More than a cold bootstrap has phases and uploads. */
const POINTS_MAX = 200;

for (const kind of ['lost-before', 'lost-after'] as const) {
  test(`F35: ${kind} at every point of a bootstrap, then run again: it converges, repeats nothing verified, tells no secret`, async () => {
    let point = 1;
    for (; point < POINTS_MAX; point += 1) {
      const { mac, prepare, leaks } = stage();
      mac.cutConnectionAt(point, kind);
      const first = await prepare();
      if (first === 'prepared') break;
      assert.equal(first, 'HostConnectionLost', `cut at ${point}`);
      const cut = mac.view();
      assert.equal(await prepare(), 'prepared', `cut at ${point}`);
      assert.deepEqual(repeated(cut, mac.view()), [], `cut at ${point}`);
      assert.equal(mac.view().agent?.nodeName, 'mac-1');
      assert.equal(mac.view().sudoFailures, 0);
      assert.ok(!leaks(), `cut at ${point}`);
    }
    assert.ok(point > 40 && point < POINTS_MAX, `${point} points`);
  });
}

test('the search for secrets can find one', async () => {
  const { mac, prepare, leaks } = stage();
  mac.addStepFault({ step: 'tart', kind: 'exit', times: 1, output: 'canary of nobody' });
  await prepare();
  assert.ok(leaks());
});
