import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rule, urlRule } from '../bootstrap/role.ts';
import { renderMissing, uncovered } from './covers.ts';

const ROWS = [
  { story: 'the same', owned: [rule('get', 'core', 'pods')], granted: rule('get', 'core', 'pods'), missing: '' },
  { story: 'everything', owned: [rule('*', '*', '*')], granted: rule('get', 'batch', 'jobs/status'), missing: '' },
  {
    story: 'two rules that together hold it',
    owned: [rule('get', 'core', 'pods'), rule('list', 'core', 'pods')],
    granted: rule('get list', 'core', 'pods'),
    missing: '',
  },
  {
    story: 'one name of all',
    owned: [rule('get', 'core', 'secrets')],
    granted: rule('get', 'core', 'secrets', ['a']),
    missing: '',
  },
  {
    story: 'all names, having one',
    owned: [rule('get', 'core', 'secrets', ['a'])],
    granted: rule('get', 'core', 'secrets'),
    missing: '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
  },
  {
    story: 'another name',
    owned: [rule('get', 'core', 'secrets', ['a'])],
    granted: rule('get', 'core', 'secrets', ['a', 'b']),
    missing: '{APIGroups:[""], Resources:["secrets"], ResourceNames:["b"], Verbs:["get"]}',
  },
  {
    story: 'a subresource of all kinds',
    owned: [rule('get', 'apps', '*/scale')],
    granted: rule('get', 'apps', 'deployments/scale'),
    missing: '',
  },
  {
    story: 'the kind, having its subresource',
    owned: [rule('get', 'apps', '*/scale')],
    granted: rule('get', 'apps', 'deployments'),
    missing: '{APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}',
  },
  {
    story: 'another group',
    owned: [rule('get', 'core', 'pods')],
    granted: rule('get', 'core metrics.k8s.io', 'pods'),
    missing: '{APIGroups:["metrics.k8s.io"], Resources:["pods"], Verbs:["get"]}',
  },
  {
    story: 'all verbs, having every one that is known',
    owned: [rule('get list watch create update patch delete deletecollection', 'core', 'pods')],
    granted: rule('*', 'core', 'pods'),
    missing: '{APIGroups:[""], Resources:["pods"], Verbs:["*"]}',
  },
  {
    story: 'a path below',
    owned: [urlRule('get', '/logs/*')],
    granted: urlRule('get', '/logs/a /logs/*'),
    missing: '',
  },
  {
    story: 'a path beside, in two verbs',
    owned: [urlRule('get', '/logs/*')],
    granted: urlRule('get post', '/logs/a /debug'),
    missing: '{NonResourceURLs:["/debug"], Verbs:["get" "post"]}\n{NonResourceURLs:["/logs/a"], Verbs:["post"]}',
  },
  { story: 'nothing', owned: [], granted: rule('', '', ''), missing: '' },
];

describe('somebody who wants to grant', () => {
  for (const { story, owned, granted, missing } of ROWS) {
    it(`${story} ${missing === '' ? 'has it' : 'lacks something'}`, () => {
      assert.equal(renderMissing(uncovered(owned, [granted])), missing);
    });
  }
});
