import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isKind } from '../../base/errors.ts';
import type { Container } from '../../kube/types/pod.ts';
import { type LookUp, referencesOf, resolveEnv } from './resolve-env.ts';
import { samplePod } from './testing/pod-samples.ts';

const OBJECTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Secret login': { user: 'ada', password: 'x=y "z"\nw' },
  'ConfigMap shape': { colour: 'red' },
};
const lookUp: LookUp = ({ kind, name }) => OBJECTS[`${kind} ${name}`];

const resolve = (container: Partial<Container>): Readonly<Record<string, string>> => {
  const pod = samplePod({
    container,
    metadata: { labels: { team: 'ios' }, annotations: { 'a.b/c': 'd' } },
    spec: { serviceAccountName: 'robot' },
  });
  const [own] = pod.spec.containers;
  assert.ok(own);
  return Object.fromEntries(resolveEnv({ pod, container: own, hostIp: '10.0.0.1', lookUp }));
};
const field = (fieldPath: string): Partial<Container> => ({
  env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath } } }],
});

describe('the environment of a Pod', () => {
  const rows: readonly { story: string; container: Partial<Container>; env: object }[] = [
    { story: '§9.3-1 a literal', container: { env: [{ name: 'A', value: '1' }] }, env: { A: '1' } },
    { story: 'a name without a value is empty', container: { env: [{ name: 'A' }] }, env: { A: '' } },
    {
      story: '§9.3-1 a key of a Secret',
      container: { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'login', key: 'password' } } }] },
      env: { A: 'x=y "z"\nw' },
    },
    {
      story: '§9.3-1 an optional key that is missing is left out',
      container: { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'login', key: 'no', optional: true } } }] },
      env: {},
    },
    {
      story: 'a key that every object inherits is none',
      container: {
        env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'login', key: 'constructor', optional: true } } }],
      },
      env: {},
    },
    {
      story: '§9.3-1 all of an object, with a prefix',
      container: { envFrom: [{ prefix: 'P_', configMapRef: { name: 'shape' } }] },
      env: { P_colour: 'red' },
    },
    {
      story: '§9.3-1 env wins over envFrom',
      container: { envFrom: [{ configMapRef: { name: 'shape' } }], env: [{ name: 'colour', value: 'blue' }] },
      env: { colour: 'blue' },
    },
    {
      story: 'an optional object that is missing is left out',
      container: { envFrom: [{ secretRef: { name: 'no', optional: true } }] },
      env: {},
    },
    { story: '§9.3-1 the Pod’s name', container: field('metadata.name'), env: { A: 'job' } },
    { story: '§9.3-1 its namespace', container: field('metadata.namespace'), env: { A: 'ns' } },
    { story: '§9.3-1 its Node', container: field('spec.nodeName'), env: { A: 'mac-1' } },
    { story: 'its ServiceAccount', container: field('spec.serviceAccountName'), env: { A: 'robot' } },
    { story: 'the address of the Node', container: field('status.hostIP'), env: { A: '10.0.0.1' } },
    { story: 'a label', container: field("metadata.labels['team']"), env: { A: 'ios' } },
    { story: 'an annotation', container: field("metadata.annotations['a.b/c']"), env: { A: 'd' } },
    {
      story: 'names before it are put in',
      container: {
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '$(A)-$(NO)-$$(A)' },
        ],
      },
      env: { A: '1', B: '1-$(NO)-$(A)' },
    },
    {
      story: 'its limits, in units',
      container: {
        resources: { limits: { memory: '2Gi', cpu: '1500m' } },
        env: [
          { name: 'M', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } } },
          { name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
        ],
      },
      env: { M: '2048', C: '2' },
    },
  ];
  for (const { story, container, env } of rows) it(story, () => assert.deepEqual(resolve(container), env));

  const missing: readonly { story: string; container: Partial<Container>; says: RegExp }[] = [
    {
      story: '§9.3-1 a key that must be there',
      container: { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'login', key: 'no' } } }] },
      says: /no key no of Secret login/,
    },
    {
      story: 'an object that must be there',
      container: { envFrom: [{ secretRef: { name: 'late' } }] },
      says: /no Secret late/,
    },
  ];
  for (const { story, container, says } of missing) {
    it(`${story} may still come: ${says.source}`, () =>
      assert.throws(
        () => resolve(container),
        (error) => isKind(error, 'not-found') && says.test(String(error)),
      ));
  }

  it('says which field a VM cannot be told, instead of leaving it out', () =>
    assert.throws(
      () => resolve(field('status.podIP')),
      (error) => isKind(error, 'invalid') && /A has no value: a VM cannot be told status.podIP/.test(String(error)),
    ));

  it('names what has to be read, each once', () => {
    const container = {
      name: 'c',
      envFrom: [{ secretRef: { name: 'login' } }],
      env: [
        { name: 'A', valueFrom: { secretKeyRef: { name: 'login', key: 'user' } } },
        { name: 'B', valueFrom: { configMapKeyRef: { name: 'login', key: 'x' } } },
      ],
    };
    assert.deepEqual(referencesOf(container), [
      { kind: 'Secret', name: 'login' },
      { kind: 'ConfigMap', name: 'login' },
    ]);
  });
});
