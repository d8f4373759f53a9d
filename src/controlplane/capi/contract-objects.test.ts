import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALL_KINDS } from '../../kinds/all-kinds.ts';
import type { CustomResourceDefinition } from '../../kube/types/extensions.ts';
import { keepNamesOnly } from '../core/custom-resources.ts';
import { resolveResource } from './contract-objects.ts';

const definition = (label: string | undefined): CustomResourceDefinition => ({
  metadata: { name: 'oxen.g', ...(label === undefined ? {} : { labels: { 'cluster.x-k8s.io/v1beta2': label } }) },
  spec: { group: 'g', names: { kind: 'Ox', plural: 'oxen' } },
});

describe('the kind behind a reference', () => {
  const rows: readonly (readonly [string, readonly CustomResourceDefinition[], string])[] = [
    ['no CRD: by custom', [], 'oxs v1alpha1'],
    ['the CRD knows its plural', [definition(undefined)], 'oxen v1alpha1'],
    ['the contract label gives the version', [definition('v1beta1')], 'oxen v1beta1'],
    ['the highest of several', [definition('v1alpha2_v1beta1')], 'oxen v1beta1'],
    ['stable beats beta', [definition('v1_v1beta3')], 'oxen v1'],
    ['numbers are numbers', [definition('v1alpha10_v1alpha9')], 'oxen v1alpha10'],
    ['what is no version counts least', [definition('v1alpha1_main')], 'oxen v1alpha1'],
    [
      'the CRD of another group',
      [{ ...definition('v1'), spec: { group: 'h', names: { kind: 'Ox', plural: 'oxes' } } }],
      'oxs v1alpha1',
    ],
  ];
  for (const [story, definitions, expected] of rows) {
    it(`${story}: ${expected}`, () => {
      const { plural, version } = resolveResource(definitions, { apiGroup: 'g', kind: 'Ox' });
      assert.equal(`${plural} ${version}`, expected);
    });
  }

  it('follows from the name alone for every kind of ours that Cluster API knows', () => {
    for (const { resource } of ALL_KINDS) {
      if (resource.scope !== 'Namespaced' || resource.group !== 'infrastructure.cluster.x-k8s.io') continue;
      assert.deepEqual(resolveResource([], { apiGroup: resource.group, kind: resource.kind }), resource);
    }
  });

  it('keeps of a CRD what is read, and drops its schema', () => {
    const { spec } = definition('v1');
    const full = { ...definition('v1'), spec: { ...spec, versions: [{ name: 'v1', served: true, schema: {} }] } };
    assert.deepEqual(keepNamesOnly(full).spec, { ...spec, versions: [{ name: 'v1', served: true }] });
  });
});
