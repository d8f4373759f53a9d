/** `macfleet sim dispatch` as a person and a script meet it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { request } from 'undici';
import { DISPATCH_FAULT_IDS } from '../../sim/dispatch/faults.ts';
import { runSim, startSim } from './testing/started-sim.ts';

interface Running {
  told(word: string): string;
  ask(
    method: string,
    url: string,
    options?: { readonly token?: string; readonly body?: unknown },
  ): Promise<{ readonly status: number; readonly text: string }>;
}

const running = (args: readonly string[], body: (dispatch: Running) => Promise<void>): Promise<string> =>
  runSim(['dispatch', ...args], ({ told }) =>
    body({
      told,
      ask: async (method, url, { token, body: sent } = {}) => {
        const answer = await request(url, {
          ...{ method, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } },
          ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
        });
        return { status: answer.statusCode, text: await answer.body.text() };
      },
    }),
  );

describe('macfleet sim dispatch', { timeout: 60_000 }, () => {
  test('queues jobs, hands one out over HTTP, tells what happens, and stops without a trace of an error', async () => {
    const said = await running(['--jobs', '2', '--pool', 'ci', '--speed', '60x'], async ({ told, ask }) => {
      const dispatchUrl = told('TUIST_RUNNER_DISPATCH_URL');
      assert.match((await ask('POST', dispatchUrl, { token: 'runner:ci/pod-1' })).text, /"owner":"acme"/);
      assert.equal((await ask('POST', dispatchUrl)).status, 401);
      await ask('POST', `${told('Control')}/jobs`, { body: { pool: 'ci', count: 2, seconds: 60 } });
      const { text } = await ask('GET', `${told('TUIST_SCALING_SIGNALS_URL')}?fleet=ci`, { token: 'controller' });
      assert.match(text, /"claimed":1,"occupied":1,"queued":3,/);
    });
    assert.match(said, /60 times as fast as life; it speaks protocol 2\./);
    assert.match(said, /\d\d:\d\d:\d\d claimed job=\d+ pod=pod-1\n/);
    assert.match(said, /Stopping\.\n$/);
  });

  test('its control lists what there is, cancels, limits, breaks, and shows the record', async () => {
    await running(['--jobs', '3'], async ({ told, ask }) => {
      const control = told('Control');
      const read = async (path: string) => JSON.parse((await ask('GET', `${control}${path}`)).text);
      assert.match((await ask('GET', `${control}/`)).text, /GET \/record/);
      const { jobs } = await read('/jobs');
      await ask('DELETE', `${control}/jobs/${jobs[0].id}`);
      assert.equal((await read('/jobs')).jobs[0].conclusion, 'cancelled');
      assert.equal((await ask('DELETE', `${control}/jobs/7`)).status, 404);
      await ask('POST', `${control}/limits`, { body: { account: 'acme', most: 1 } });
      assert.match(
        (await ask('GET', `${told('TUIST_SCALING_SIGNALS_URL')}?fleet=ci`, { token: 'controller' })).text,
        /"withheld":1/,
      );
      await ask('POST', `${control}/faults`, { body: { fault: 'gone', count: 1 } });
      assert.deepEqual((await read('/faults')).on, [{ id: 'gone', left: 1, until: null }]);
      assert.equal((await ask('POST', told('TUIST_RUNNER_DISPATCH_URL'), { token: 'runner:ci/a' })).status, 410);
      assert.deepEqual(Object.keys((await read('/faults')).faults).toSorted(), [...DISPATCH_FAULT_IDS]);
      assert.equal((await ask('POST', `${control}/faults`, { body: { fault: 'F99' } })).status, 400);
      await ask('POST', `${control}/away`, { body: { seconds: 60 } });
      assert.equal((await ask('POST', told('TUIST_RUNNER_DISPATCH_URL'), { token: 'runner:ci/a' })).status, 503);
      assert.equal((await read('/record?last=1')).record[0].event, 'withdrawn');
      assert.equal((await read('/calls?last=1')).calls[0].outcome, 503);
      assert.deepEqual(await read('/sessions'), { sessions: [] });
    });
  });

  test('is a server of the original when told so, and begins with the faults it is told', () =>
    running(['--protocol', '1', '--fault', 'gone', '--fault', 'html'], async ({ told, ask }) => {
      assert.equal((await ask('POST', told('TUIST_RUNNER_DISPATCH_URL'), { token: 'runner:ci/a' })).status, 410);
      const sessions = told('TUIST_RUNNER_SESSIONS_URL');
      assert.equal((await ask('GET', `${sessions}/pods/a?uid=u`, { token: 'controller' })).status, 404);
    }).then((said) => assert.match(said, /protocol 1, that of the original\.[\s\S]*Faults: gone, html\./)));

  const usage: readonly { readonly args: readonly string[]; readonly code: string }[] = [
    { args: ['--speed', 'fast'], code: 'BadSpeed' },
    { args: ['--jobs', '-1'], code: 'BadNumber' },
    { args: ['--protocol', '3'], code: 'BadNumber' },
    { args: ['--fault', 'F99'], code: 'NoSuchFault' },
    { args: ['--controller', 'nobody'], code: 'BadAccount' },
    { args: ['--kubeconfig', 'there-is-none'], code: 'NoKubeconfig' },
  ];
  for (const { args, code } of usage) {
    test(`refuses ${args.join(' ')} as ${code}`, async () => {
      const command = startSim(['dispatch', ...args]);
      assert.deepEqual([await command.ended, command.err().includes(`code: ${code}\n`)], [2, true], command.err());
    });
  }
});
