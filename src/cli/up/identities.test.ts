/** No part of `up` writes on behalf of another: every write that the API takes is looked at, with the name of who sent it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createSystemClock, sleep } from '../../base/clock.ts';
import { isKind } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { createSystemRandom } from '../../base/random.ts';
import type { ResourceAttempt } from '../../controlplane/auth/attempt.ts';
import { ADMIN } from '../../controlplane/auth/user.ts';
import { JOBS } from '../../controlplane/core/workloads/job.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { PODS } from '../../kube/types/core.ts';
import { RUNNER_POOL } from '../../world/demo-fleet.ts';
import { DISPATCH_SERVER } from '../../world/dispatch-rights.ts';
import { PROVIDER, RUNNERS_USER } from '../../world/identities.ts';
import { createOrIgnore } from './create-or-ignore.ts';
import { startFleet } from './start-fleet.ts';
import { renderWork } from './up-work.ts';

const NODE = /^system:node:/;
const CORE = /^system:serviceaccount:(kube-system|capi-system):|^system:kube-/;
const READING: readonly string[] = ['get', 'list', 'watch'];

/** Who may write what; everything else is nobody's to write once the fleet runs. */
const WRITERS: readonly (readonly [what: RegExp, who: RegExp])[] = [
  [/^machosts|^scalewayapplesilicon\w+\/status$/, new RegExp(`^${PROVIDER.name}$`)],
  [/^runnerpools\/status$/, new RegExp(`^${RUNNERS_USER.name}$`)],
  // The scheduler tells there why it finds no Node.
  [/^pods\/status$/, /^system:(node:|kube-scheduler$)/],
  [/^pods\/binding$/, /^system:kube-scheduler$/],
  [/^machines|^machinesets|^machinedeployments\/status$/, CORE],
  [/^jobs\/status$|^replicasets|^deployments\/status$/, CORE],
];

const describe = ({ verb, resource, subresource, user, name }: ResourceAttempt): string =>
  `${user.name} ${verb} ${resource}${subresource === '' ? '' : `/${subresource}`} ${name}`;

it('every write comes from the part whose work it is, and a Node writes about itself alone', {
  timeout: 90_000,
}, async (t) => {
  const { signal } = t;
  const [clock, random] = [createSystemClock(), createSystemRandom()];
  const writes: ResourceAttempt[] = [];
  const fleet = await startFleet(
    {
      ...{ clock, random, logger: silentLogger, macs: 2, port: 0, speedUp: 100, provider: 'here' },
      ...{ agents: 'tart-kubelet', fleets: ['macos', 'runners'], runners: { jobSpeedUp: 100, guestSpeedUp: 4 } },
      onRequest: ({ attempt, code }) => {
        if (attempt.on === 'resource' && !READING.includes(attempt.verb) && code < 300) writes.push(attempt);
      },
    },
    signal,
  );
  t.after(() => fleet.stop());
  const { client, runners } = fleet;
  for (const demo of renderWork({ machines: 2, fleet: ['macos', 'runners'] }))
    await createOrIgnore(client, demo, signal);
  const begun = writes.length;
  runners?.dispatch.queue({ pool: RUNNER_POOL, durationMs: 60_000 });
  const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await isSo())) await sleep(clock, 50, signal);
  };
  await until(async () => {
    const [job] = (await client.list(JOBS, { signal })).items;
    return job?.status?.completionTime !== undefined && runners?.dispatch.jobs()[0]?.state === 'done';
  });

  for (const [what, who] of WRITERS) {
    const own = writes.filter(({ resource, subresource }) =>
      what.test(subresource === '' ? resource : `${resource}/${subresource}`),
    );
    const later = own.filter((write) => write.user.name !== ADMIN.name || writes.indexOf(write) >= begun);
    assert.ok(later.length > 0, `somebody writes ${what}`);
    assert.deepEqual(later.filter(({ user }) => !who.test(user.name)).map(describe), []);
  }
  const ofOthers = writes.filter(
    ({ user, resource, name, verb }) =>
      NODE.test(user.name) && resource === 'nodes' && verb !== 'create' && user.name !== `system:node:${name}`,
  );
  assert.deepEqual(ofOthers.map(describe), []);
  const joined = writes.filter(({ resource, verb }) => resource === 'nodes' && verb === 'create');
  assert.deepEqual([joined.length, joined.every(({ user }) => NODE.test(user.name))], [2, true]);
  // The person who started it applies manifests, and gives the runners controller the token that its Pod would have.
  const byPerson = writes.slice(begun).filter(({ user }) => user.name === ADMIN.name);
  assert.deepEqual(
    [...new Set(byPerson.map(describe))].filter((text) => !/serviceaccounts\/token/.test(text)),
    [],
  );
  const names = new Set(writes.map(({ user }) => user.name.replace(/^(system:node:|system:bootstrap:).*/, '$1')));
  for (const expected of [PROVIDER, RUNNERS_USER, DISPATCH_SERVER]) assert.ok(names.has(expected.name), expected.name);
  assert.ok(names.has('system:node:') && names.has('system:bootstrap:'), [...names].join(' '));

  assert.match(await readLog(client, until, signal), /^BuildVersion:\s+\w+\n$/);
});

type Until = (isSo: () => boolean | Promise<boolean>) => Promise<void>;

/** The last line of a Pod of the Job, through the API server and the agent of its Node. */
const readLog = async (client: KubeClient, until: Until, signal: AbortSignal): Promise<string> => {
  const { items } = await client.list(PODS, { signal });
  const pod = items.find(({ metadata }) => metadata.name.startsWith('hello-macos'));
  const path = `/api/v1/namespaces/default/pods/${pod?.metadata.name}/log?tailLines=1`;
  let log: unknown;
  // The agent may still wait for its certificate, and the API server then refuses to speak to it.
  await until(async () => {
    log = await client.getRaw(path, { signal }).catch((error: unknown) => {
      assert.ok(isKind(error, 'unavailable'), String(error));
      return undefined;
    });
    return log !== undefined;
  });
  return String(log);
};
