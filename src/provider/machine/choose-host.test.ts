import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseMacHost } from '../../kinds/mac-host.ts';
import { parseMachine } from '../../kinds/machine.ts';
import { NO_ORDERS } from '../host/plan-order.ts';
import { type Choice, type ChoiceView, chooseHost } from './choose-host.ts';

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

const SOME = { maxHosts: 2, maxPerDay: 2, namespaces: new Map<string, number>() };
/** To rent a Mac for the machine of that name. */
const intent = (name: string) =>
  parseMacHost({
    metadata: { name: `order-${name}` },
    spec: {
      source: { scaleway: { projectID: 'p', zone: 'fr-par-1' } },
      order: { intentID: `i-${name}`, name: 'x', requestedAt: '1970-01-01T00:00:00Z' },
      claimRef: { namespace: 'ns', name, uid: `uid-${name}` },
    },
  });
const claimRef = { namespace: 'ns', name: 'm', uid: 'uid-m' };
const elsewhere = { namespace: 'other', uid: 'uid-o', creationTimestamp: '2026-01-01T00:00:00Z' };

const outcomeOf = (choice: Choice): string => {
  if (choice.kind === 'none') return choice.reason;
  return choice.kind === 'order' ? `order ${choice.intent?.metadata.name ?? 'anew'}` : choice.serverId;
};

const view = (wanted: Partial<ChoiceView>): ChoiceView => ({
  ...{ nowMs: 1_000_000, times: TIMES, machine: machine(), hosts: [host('b'), host('a')] },
  ...{ ahead: 0, taken: new Set<string>() },
  ...{ poolPrefix: 'pool-', projectId: 'p', others: [], poolNamespaces: new Map(), zones: ['fr-par-1'] },
  orders: NO_ORDERS,
  ...wanted,
});

describe('which Mac a machine gets', () => {
  const rows: readonly { readonly story: string; readonly given: Partial<ChoiceView>; readonly gets: string }[] = [
    {
      story: 'T-23 T-26 the first of those that are free, of the manager’s pool where it names none',
      given: {},
      gets: 'a',
    },
    {
      story: 'T-43 none while a server that nobody has on record has its name: that may be its Mac',
      given: { namesake: { id: 'x', zone: 'fr-par-1' } },
      gets: 'StrayServer',
    },
    {
      story: 'R16 the one that it has claimed, whatever other server has its name',
      given: { namesake: { id: 'x', zone: 'fr-par-1' }, hosts: [host('a', { claimRef })] },
      gets: 'a',
    },
    { story: 'the second one when another machine is ahead', given: { ahead: 1 }, gets: 'b' },
    { story: 'one of them however many are ahead: they may want none of these', given: { ahead: 2 }, gets: 'a' },
    { story: 'another one when the first was taken', given: { taken: new Set(['a']) }, gets: 'b' },
    {
      story: 'L6 one that went back for failing only when no other fits',
      given: { hosts: [host('a', { budgets: { returns: 1 } }), host('b'), host('c', { budgets: { returns: 2 } })] },
      gets: 'b',
    },
    {
      story: 'L6 of those that failed the one that failed less often',
      given: { hosts: [host('a', { budgets: { returns: 2 } }), host('c', { budgets: { returns: 1 } })] },
      gets: 'c',
    },
    {
      story: 'none while the prefix of another machine continues its own: a Mac could be of either pool',
      given: { others: [machine({ adoptPoolPrefix: 'pool-m4-' }, { metadata: { name: 'o' } })] },
      gets: 'PoolPrefixesOverlap',
    },
    {
      story: 'none while its own prefix continues that of another machine',
      given: { machine: machine({ adoptPoolPrefix: 'pool-m4-' }), others: [machine({}, { metadata: { name: 'o' } })] },
      gets: 'PoolPrefixesOverlap',
    },
    {
      story: 'R26 one although there is such a machine which may not adopt from that pool',
      given: {
        others: [machine({ adoptPoolPrefix: 'pool-m4-' }, { metadata: { name: 'o', namespace: 'no' } })],
        poolNamespaces: new Map([['pool-m4-', new Set(['ns'])]]),
      },
      gets: 'a',
    },
    {
      story: 'one although there is such a machine that goes, or rents its Mac',
      given: {
        others: [
          machine(
            { adoptPoolPrefix: 'pool-m4-' },
            { metadata: { name: 'o', deletionTimestamp: '2026-01-01T00:00:00Z' } },
          ),
          machine({ adoptPoolPrefix: 'pool-m4-', acquire: 'order' }, { metadata: { name: 'p' } }),
        ],
      },
      gets: 'a',
    },
    ...['tahoe', 'macos-tahoe', ' Tahoe '].map((os) => ({
      story: `T-55 T-57 one of its family, also when that is written "${os}"`,
      given: { machine: machine({ os }) },
      gets: 'a',
    })),
    {
      story: 'T-57 none of another family, nor of a development release of its own',
      given: { hosts: [host('a', { osFamily: 'Sequoia' }), host('b', { osFamily: 'devos-tahoe' })] },
      gets: 'NoAvailableHost',
    },
    { story: 'R1 none of another project', given: { projectId: 'q' }, gets: 'NoAvailableHost' },
    {
      story: '002-4 T-46 none of another type',
      given: { machine: machine({ type: 'M4-S' }) },
      gets: 'NoAvailableHost',
    },
    {
      story: 'none that is missing',
      given: { hosts: [host('a', {}, { missingSince: '2026-01-01T00:00:00Z' })] },
      gets: 'NoAvailableHost',
    },
    {
      story: '002-4 T-46 none that is not ready',
      given: { hosts: [host('a', {}, { status: 'starting' })] },
      gets: 'NoAvailableHost',
    },
    {
      story: 'R25 none from a pool when it wants one to be ordered: nothing is ordered without leave',
      given: { machine: machine({ acquire: 'order' }) },
      gets: 'OrderLimitReached',
    },
    {
      story: 'R25 one that is rented, where that is allowed, also without a pool',
      given: { machine: machine({ acquire: 'order' }), orders: SOME, poolPrefix: '' },
      gets: 'order anew',
    },
    {
      story: 'R25 the one that is being rented for it already',
      given: { machine: machine({ acquire: 'order' }), orders: SOME, hosts: [intent('m')] },
      gets: 'order order-m',
    },
    {
      story: 'R25 none when all that may be rented are, or are wanted by others',
      given: {
        machine: machine({ acquire: 'order' }),
        orders: SOME,
        hosts: [intent('n'), host('a', { ordered: true })],
      },
      gets: 'OrderLimitReached',
    },
    {
      story: 'R25 the one that was rented, once it is on record',
      given: { machine: machine({ acquire: 'order' }), orders: SOME, hosts: [intent('m'), host('a', { claimRef })] },
      gets: 'a',
    },
    { story: 'T-27 none when no pool is named', given: { poolPrefix: '' }, gets: 'NoAdoptPoolPrefix' },
    {
      story: 'none in a zone that nobody looks at',
      given: { machine: machine({ zone: 'xx-1' }) },
      gets: 'ZoneNotServed',
    },
    {
      story: 'T-57 none when it names an image',
      given: { machine: machine({ os: 'macos-26.3' }) },
      gets: 'InvalidOSPin',
    },
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
      story: 'R26 none by a prefix that goes on from that of a pool which is not for its namespace',
      given: {
        machine: machine({ adoptPoolPrefix: 'pool-1' }),
        hosts: [host('1a', { pool: { prefix: 'pool-1' } })],
        poolNamespaces: new Map([['pool-', new Set(['other'])]]),
      },
      gets: 'PoolNotAllowed',
    },
    {
      story: 'R26 none by the beginning of such a prefix',
      given: { machine: machine({ adoptPoolPrefix: 'po' }), poolNamespaces: new Map([['pool-', new Set(['other'])]]) },
      gets: 'PoolNotAllowed',
    },
    {
      story: 'R26 one from its pool although a machine that may not have a Mac of it names a part of that pool',
      given: {
        others: [machine({ adoptPoolPrefix: 'pool-1' }, { metadata: { name: 'o', namespace: 'no' } })],
        poolNamespaces: new Map([['pool-', new Set(['ns'])]]),
      },
      gets: 'a',
    },
    {
      story: 'R26 one from a pool of another name than those of which there are rules',
      given: { poolNamespaces: new Map([['other-', new Set(['other'])]]) },
      gets: 'a',
    },
    {
      story: 'R26 one from a pool that is',
      given: { poolNamespaces: new Map([['pool-', new Set(['ns'])]]) },
      gets: 'a',
    },
    {
      story: 'R6 none while an older machine elsewhere has its name',
      given: {
        others: [machine({}, { metadata: elsewhere })],
        machine: machine({}, { metadata: { creationTimestamp: '2026-01-02T00:00:00Z' } }),
      },
      gets: 'NameTaken',
    },
    {
      story: 'R6 none while a younger one has a Mac under that name',
      given: {
        others: [
          machine(
            {},
            { metadata: { ...elsewhere, creationTimestamp: '2026-02-01T00:00:00Z' }, status: { serverID: 'z' } },
          ),
        ],
      },
      gets: 'NameTaken',
    },
    {
      story: 'R6 none while a machine that another manager works for has a Mac under that name',
      given: { hosts: [host('a'), host('z', { claimRef: { namespace: 'other', name: 'm', uid: 'uid-o' } })] },
      gets: 'NameTaken',
    },
    {
      story: 'R6 one when the other is younger',
      given: {
        others: [machine({}, { metadata: elsewhere })],
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
      assert.equal(outcomeOf(choice), gets);
    });
  }
});
