import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseStoredObject } from '../../store/object.ts';
import { createStore } from '../../store/store.ts';
import type { User } from '../user.ts';
import { createRuleBook } from './rule-book.ts';

const GROUP = 'rbac.authorization.k8s.io';
const PETRA: User = { name: 'petra', groups: ['devs'] };
const ROBOT: User = { name: 'system:serviceaccount:a:robot', groups: [] };

const role = (name: string, verb: string, namespace?: string) => ({
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  rules: [{ apiGroups: [''], resources: ['pods'], verbs: [verb] }],
});

const binding = (roleName: string, subjects: readonly object[], namespace?: string) => ({
  metadata: { name: 'b', ...(namespace !== undefined && { namespace }) },
  roleRef: { kind: namespace === undefined ? 'ClusterRole' : 'Role', name: roleName },
  subjects,
});

const person = { kind: 'User', name: 'petra' };
const group = { kind: 'Group', name: 'devs' };

const createScene = () => {
  const store = createStore();
  const book = createRuleBook(store);
  const put = (plural: string, object: object) => store.put(`${GROUP}/${plural}`, parseStoredObject(object));
  const remove = (plural: string, object: object) => store.remove(`${GROUP}/${plural}`, parseStoredObject(object));
  const verbsOf = (user: User, namespace = ''): readonly string[] =>
    [...book.grantsFor(user, namespace)].flatMap(({ rules = [] }) => rules.flatMap(({ verbs }) => verbs));
  return { store, put, remove, verbsOf };
};

describe('the book of rules', () => {
  it('follows a binding that is made, given to others and taken away', () => {
    const { put, remove, verbsOf } = createScene();
    put('clusterroles', role('r', 'get'));
    put('clusterrolebindings', binding('r', [person]));
    assert.deepEqual(verbsOf(PETRA), ['get']);
    put('clusterrolebindings', binding('r', [{ kind: 'User', name: 'other' }]));
    assert.deepEqual(verbsOf(PETRA), []);
    put('clusterrolebindings', binding('r', [group]));
    assert.deepEqual(verbsOf(PETRA), ['get']);
    remove('clusterrolebindings', binding('r', [group]));
    assert.deepEqual(verbsOf(PETRA), []);
  });

  it('follows a role that comes after its binding, changes and goes', () => {
    const { put, remove, verbsOf } = createScene();
    put('clusterrolebindings', binding('r', [person]));
    assert.deepEqual(verbsOf(PETRA), []);
    put('clusterroles', role('r', 'get'));
    assert.deepEqual(verbsOf(PETRA), ['get']);
    put('clusterroles', role('r', 'list'));
    assert.deepEqual(verbsOf(PETRA), ['list']);
    remove('clusterroles', role('r', 'list'));
    assert.deepEqual(verbsOf(PETRA), []);
  });

  it('keeps what is of one namespace in it', () => {
    const { put, verbsOf } = createScene();
    put('roles', role('r', 'get', 'a'));
    put('rolebindings', binding('r', [person], 'a'));
    assert.deepEqual(verbsOf(PETRA, 'a'), ['get']);
    assert.deepEqual(verbsOf(PETRA, 'b'), []);
    assert.deepEqual(verbsOf(PETRA), []);
  });

  it('takes a ServiceAccount without a namespace as one of the binding', () => {
    const { put, verbsOf } = createScene();
    put('roles', role('r', 'get', 'a'));
    put('rolebindings', binding('r', [{ kind: 'ServiceAccount', name: 'robot' }], 'a'));
    assert.deepEqual(verbsOf(ROBOT, 'a'), ['get']);
  });

  it('reads what is there already', () => {
    const { store, put } = createScene();
    put('clusterroles', role('r', 'get'));
    put('clusterrolebindings', binding('r', [person]));
    assert.equal([...createRuleBook(store).grantsFor(PETRA, '')].length, 1);
  });

  it('says where a rule comes from', () => {
    const { store, put } = createScene();
    put('roles', role('r', 'get', 'a'));
    put('rolebindings', binding('r', [person], 'a'));
    const [grant] = createRuleBook(store).grantsFor(PETRA, 'a');
    assert.equal(grant?.describe(), 'RoleBinding "b/a" of Role "r" to User "petra"');
  });
});
