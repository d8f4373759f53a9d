/** A project opened with what an operator has set, on a simulated cloud over real sockets. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { createSeededRandom } from '../../base/random.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { serveCloud } from '../../sim/cloud/serve-cloud.ts';
import { createSimCloud } from '../../sim/cloud/sim-cloud.ts';
import { SIMULATED_KEY } from '../port/simulated-key.ts';
import { type OpenScalewayOptions, openScaleway } from './open-scaleway.ts';

const signal = neverAborted();

const start = async (context: TestContext) => {
  const clock = createManualClock();
  const core = createSimCloud({ clock, random: createSeededRandom(1), apiKeys: [SIMULATED_KEY] });
  core.addServer({ name: 'pool-a' });
  const served = await serveCloud({ clock, cloud: core });
  context.after(() => served.close());
  const common = { clock, random: createSeededRandom(2), readText: async () => undefined };
  const open = async (options: Partial<OpenScalewayOptions>) => {
    const opened = await openScaleway({ ...common, env: served.environment, ...options }, signal);
    context.after(() => opened.close());
    return opened;
  };
  return { core, served, open };
};

test('what a simulated cloud prints is all that is needed', async (context) => {
  const { core, served, open } = await start(context);
  const { cloud, projectId, zones, apiUrl } = await open({});
  assert.deepEqual([projectId, zones, apiUrl], [core.projectId, ['fr-par-1'], served.apiUrl]);
  assert.equal((await cloud.listServers('fr-par-1', signal)).length, 1);
});

test('zones that are asked for go before the one of the environment', async (context) => {
  const { open } = await start(context);
  assert.deepEqual((await open({ zones: ['fr-par-3'] })).zones, ['fr-par-3']);
});

test('the key is the one of the mounted Secret, and of the file when there is nothing else', async (context) => {
  const { core, served, open } = await start(context);
  const { SCW_SECRET_KEY: secretKey = '', SCW_API_URL = '', ...rest } = served.environment;
  const files: Record<string, string> = {
    'secret/secret-key': secretKey,
    '/h/.config/scw/config.yaml': [
      `access_key: ${SIMULATED_KEY.accessKey}`,
      `secret_key: ${secretKey}`,
      `default_project_id: ${core.projectId}`,
      `api_url: ${SCW_API_URL}`,
    ].join('\n'),
  };
  const readText = async (path: string): Promise<string | undefined> => files[path];
  const mounted = await open({ env: { ...rest, SCW_API_URL }, credentialsDirectory: 'secret', readText });
  const written = await open({ env: { HOME: '/h' }, readText });
  for (const { cloud } of [mounted, written]) assert.equal((await cloud.listServers('fr-par-1', signal)).length, 1);
});

test('without a key nothing is opened', async (context) => {
  const { open } = await start(context);
  await assert.rejects(open({ env: {} }), { kind: 'denied', code: 'NoCloudCredentials' });
});

test('an observer hears of calls and lists', async (context) => {
  const { open } = await start(context);
  const heard: string[] = [];
  const observer = {
    called: (verb: string, outcome: string) => void heard.push(`${verb} ${outcome}`),
    listed: ({ zone, servers }: { readonly zone: string; readonly servers: number }) =>
      void heard.push(`${zone} has ${servers}`),
  };
  await (await open({ observer })).cloud.listServers('fr-par-1', signal);
  assert.deepEqual(heard, ['fr-par-1 has 1', 'listServers ok']);
});
