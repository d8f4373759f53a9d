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

const machine = (spec: object = {}) => parseMachine({ metadata: { name: 'm', namespace: 'ns' }, spec });

const view = (wanted: Partial<ChoiceView>): ChoiceView => ({
  ...{ nowMs: 1_000_000, times: TIMES, machine: machine(), hosts: [host('b'), host('a')], taken: new Set<string>() },
  ...{ poolPrefix: 'pool-', projectId: 'p' },
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
    { story: 'none when no pool is named', given: { poolPrefix: '' }, gets: 'NoAdoptPoolPrefix' },
    { story: 'none when it names an image', given: { machine: machine({ os: 'macos-26.3' }) }, gets: 'InvalidOSPin' },
    {
      story: 'none when it has had one, as after a move to another cluster, where its status is lost',
      given: { machine: machine({ providerID: 'scw-applesilicon://fr-par-1/z' }) },
      gets: 'NoAvailableHost',
    },
  ];
  for (const { story, given, gets } of rows) {
    it(story, () => {
      const choice = chooseHost(view(given));
      assert.equal(choice.kind === 'chosen' ? choice.serverId : choice.reason, gets);
    });
  }
});
