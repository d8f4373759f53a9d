import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONFIG_MAPS, NAMESPACES, SECRETS, SERVICE_ACCOUNTS } from '../../../kube/types/core.ts';
import { createCoreControllers } from '../core-controllers.ts';
import { startCluster } from '../testing/cluster.ts';
import { CLUSTER_ROLES, sumRules } from './role-aggregation.ts';

describe('a ClusterRole that is a sum', () => {
  it('has the rules of all roles that its selectors choose, by name, each rule once', () => {
    const rule = (verb: string) => ({ apiGroups: [''], resources: ['pods'], verbs: [verb] });
    const part = (name: string, ...verbs: readonly string[]) => ({
      metadata: { name, labels: { sum: 'yes' } },
      rules: verbs.map(rule),
    });
    const sum = {
      metadata: { name: 'sum', labels: { sum: 'yes' } },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { sum: 'yes' } }] },
    };
    const roles = [
      part('b', 'watch', 'get'),
      sum,
      part('a', 'get', 'list'),
      { metadata: { name: 'c' }, rules: [rule('delete')] },
    ];
    assert.deepEqual(sumRules(sum, roles), [rule('get'), rule('list'), rule('watch')]);
  });

  it('follows a role that comes later, and falls silent', async () => {
    const cluster = startCluster(createCoreControllers);
    const rules = [{ verbs: ['get'] }];
    await cluster.create(CLUSTER_ROLES, {
      metadata: { name: 'sum' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { x: 'y' } }] },
      rules: null,
    });
    await cluster.create(CLUSTER_ROLES, { metadata: { name: 'part', labels: { x: 'y' } }, rules });
    const sum = (await cluster.all(CLUSTER_ROLES)).find(({ metadata }) => metadata.name === 'sum');
    assert.deepEqual(sum?.rules, rules);
    assert.equal(cluster.writesTo(CLUSTER_ROLES).length, 3);
    await cluster.end();
  });
});

describe('a bootstrap token', () => {
  it('is deleted at the end it names; one without an end stays', async () => {
    const cluster = startCluster(createCoreControllers);
    const encode = (text: string) => Buffer.from(text).toString('base64');
    const token = (name: string, data: Readonly<Record<string, string>>, type = 'bootstrap.kubernetes.io/token') =>
      cluster.create(SECRETS, { metadata: { namespace: 'kube-system', name }, type, data });
    await token('ending', { expiration: encode('2026-01-01T00:10:00Z') });
    await token('lasting', {});
    await token('other', { expiration: encode('2026-01-01T00:10:00Z') }, 'Opaque');
    const names = async () => (await cluster.all(SECRETS)).map(({ metadata }) => metadata.name);
    await cluster.advance(599_000);
    await cluster.settle();
    assert.deepEqual(await names(), ['ending', 'lasting', 'other']);
    await cluster.advance(2_000);
    await cluster.settle();
    assert.deepEqual(await names(), ['lasting', 'other']);
    await cluster.end();
  });
});

describe('every namespace', () => {
  it('has its default ServiceAccount, also after somebody deleted it', async () => {
    const cluster = startCluster(createCoreControllers);
    await cluster.create(NAMESPACES, { metadata: { name: 'team' } });
    const accounts = async () =>
      (await cluster.all(SERVICE_ACCOUNTS)).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    assert.deepEqual(await accounts(), ['team/default']);
    await cluster.remove(SERVICE_ACCOUNTS, { namespace: 'team', name: 'default' });
    assert.deepEqual(await accounts(), ['team/default']);
    assert.deepEqual(await cluster.all(CONFIG_MAPS), [], 'without an authority there is no certificate to publish');
    await cluster.end();
  });
});
