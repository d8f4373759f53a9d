import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseMacHost } from '../../kinds/mac-host.ts';
import { parseMachine } from '../../kinds/machine.ts';
import { type ChoiceView, chooseHost } from './choose-host.ts';

const TIMES = { claimHoldMs: 1, quietMs: 60_000, recordMaxAgeMs: 1, pollMs: 1 };

const host = (name: string, spec: object = {}, status: object = {}) =>
  parseMacHost({
    metadata: { name },
    spec: {
      source: { scaleway: { projectID: 'p', zone: 'fr-par-1', serverID: name } },
      ...{ pool: { prefix: 'pool-' }, type: 'M2-L', osFamily: 'Tahoe' },
      ...spec,
    },
    status: { server: { name: `pool-${name}`, status: 'ready', ...status } },
  });

const machine = (spec: object = {}, more: { readonly metadata?: object; readonly status?: object } = {}) =>
  parseMachine({ metadata: { name: 'm', namespace: 'ns', uid: 'uid-m', ...more.metadata }, spec, status: more.status });

const claimRef = { namespace: 'ns', name: 'm', uid: 'uid-m' };
const elsewhere = { namespace: 'other', uid: 'uid-o', creationTimestamp: '2026-01-01T00:00:00Z' };

const view = (wanted: Partial<ChoiceView>): ChoiceView => ({
  ...{ nowMs: 1_000_000, times: TIMES, machine: machine(), hosts: [host('b'), host('a')], taken: new Set<string>() },
  ...{ poolPrefix: 'pool-', projectId: 'p', namesakes: [], poolNamespaces: new Map() },
  ...wanted,
});

describe('which Mac a machine gets', () => {
  const rows: readonly { readonly story: string; readonly given: Partial<ChoiceView>; readonly gets: string }[] = [
    { story: 'the first of those that are free', given: {}, gets: 'a' },
    { story: 'another one when the first was taken', given: { taken: new Set(['a']) }, gets: 'b' },
    { story: 'none of another project', given: { projectId: 'q' }, gets: 'NoAvailableHost' },
    { story: 'none of another type', given: { machine: machine({ type: 'M4-S' }) }, gets: 'NoAvailableHost' },
    {
      story: 'none that is missing',
      given: { hosts: [host('a', {}, { missingSince: '2026-01-01T00:00:00Z' })] },
      gets: 'NoAvailableHost',
    },
    {
      story: 'none that is not ready',
      given: { hosts: [host('a', {}, { status: 'starting' })] },
      gets: 'NoAvailableHost',
    },
    {
      story: 'R25 none from a pool when it wants one to be ordered: nothing is ordered without leave',
      given: { machine: machine({ acquire: 'order' }) },
      gets: 'OrderLimitReached',
    },
    { story: 'none when no pool is named', given: { poolPrefix: '' }, gets: 'NoAdoptPoolPrefix' },
    { story: 'none when it names an image', given: { machine: machine({ os: 'macos-26.3' }) }, gets: 'InvalidOSPin' },
    {
      story: 'none when it has had one, as after a move to another cluster, where its status is lost',
      given: { machine: machine({ providerID: 'scw-applesilicon://fr-par-1/z' }) },
      gets: 'NoAvailableHost',
    },
    {
      story: 'R16 the one it has claimed, when its own note of it was lost',
      given: { hosts: [host('a'), host('b', { claimRef })] },
      gets: 'b',
    },
    {
      story: 'R17 the one it has claimed, after a move that lost its status',
      given: {
        hosts: [host('b', { claimRef })],
        machine: machine({ providerID: 'scw-applesilicon://fr-par-1/b' }),
      },
      gets: 'b',
    },
    {
      story: 'R22 another one while the one it had goes back',
      given: { hosts: [host('a', { claimRef, release: { intentID: 'i', reason: 'BootstrapExhausted' } }), host('b')] },
      gets: 'b',
    },
    {
      story: 'R26 none from a pool that is not for its namespace',
      given: { poolNamespaces: new Map([['pool-', new Set(['other'])]]) },
      gets: 'PoolNotAllowed',
    },
    {
      story: 'R26 one from a pool that is',
      given: { poolNamespaces: new Map([['pool-', new Set(['ns'])]]) },
      gets: 'a',
    },
    {
      story: 'R6 none while an older machine elsewhere has its name',
      given: {
        namesakes: [machine({}, { metadata: elsewhere })],
        machine: machine({}, { metadata: { creationTimestamp: '2026-01-02T00:00:00Z' } }),
      },
      gets: 'NameTaken',
    },
    {
      story: 'R6 none while a younger one has a Mac under that name',
      given: {
        namesakes: [
          machine(
            {},
            { metadata: { ...elsewhere, creationTimestamp: '2026-02-01T00:00:00Z' }, status: { serverID: 'z' } },
          ),
        ],
      },
      gets: 'NameTaken',
    },
    {
      story: 'R6 one when the other is younger',
      given: {
        namesakes: [machine({}, { metadata: elsewhere })],
        machine: machine({}, { metadata: { creationTimestamp: '2025-12-31T00:00:00Z' } }),
      },
      gets: 'a',
    },
    {
      story: 'the one that is paid for longest',
      given: {
        hosts: [
          host('a', {}, { deletableAt: '2026-06-01T00:00:00Z' }),
          host('b', {}, { deletableAt: '2026-06-02T00:00:00Z' }),
          host('c'),
        ],
      },
      gets: 'b',
    },
  ];
  for (const { story, given, gets } of rows) {
    it(story, () => {
      const choice = chooseHost(view(given));
      assert.equal(choice.kind === 'none' ? choice.reason : choice.serverId, gets);
    });
  }
});
