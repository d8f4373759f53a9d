import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Definition, describeTypes } from './describe-types.ts';
import { readSources } from './read-sources.ts';
import { renderTypes } from './render-types.ts';
import { nameOfDefinition, ROOT_TYPES } from './roots.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const TIME = 'io.k8s.apimachinery.pkg.apis.meta.v1.Time';

const THING = 'io.k8s.api.apps.v1.Thing';
const PART = 'io.k8s.api.core.v1.Part';
const lineOf = (properties: Readonly<Record<string, Definition>>, more: Definition = {}, proto = '', go = ''): string =>
  renderTypes(
    describeTypes({ [THING]: { type: 'object', properties, ...more }, [PART]: {} }, [
      { name: 'apps.Thing', definition: THING },
    ]),
    readSources([
      { group: 'apps', language: 'proto', text: proto },
      { group: 'apps', language: 'go', text: go },
    ]),
  )['apps.Thing'] ?? '';

describe('a type is written', () => {
  const rows: readonly (readonly [story: string, part: Definition, line: string])[] = [
    ['a text', { type: 'string' }, 'f:string'],
    ['bytes', { type: 'string', format: 'byte' }, 'f:bytes'],
    ['a small number', { type: 'integer', format: 'int32' }, 'f:int32'],
    ['a large number', { type: 'integer', format: 'int64' }, 'f:int64'],
    ['a default that says something', { type: 'string', default: 'Always' }, 'f:string=Always'],
    ['a default that says nothing', { type: 'string', default: '' }, 'f:string'],
    ['a list in one piece', { type: 'array', items: { type: 'string' } }, 'f:[]string'],
    ['a set', { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' }, 'f:[=]string'],
    [
      'a list with keys',
      { type: 'array', items: ref(PART), 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a', 'b'] },
      'f:[a,b]Part',
    ],
    [
      'a list that only a strategic merge merges',
      {
        ...{ type: 'array', items: ref(PART), 'x-kubernetes-list-type': 'atomic' },
        ...{ 'x-kubernetes-patch-strategy': 'merge', 'x-kubernetes-patch-merge-key': 'a' },
      },
      'f:[~a]Part',
    ],
    ['a map', { type: 'object', additionalProperties: { type: 'string' } }, 'f:{}string'],
    ['anything', { type: 'object' }, 'f:any'],
    ['a time', { allOf: [ref(TIME)] }, 'f:time'],
    ['a struct that is always there', { allOf: [ref(PART)], default: {} }, 'f+:Part'],
    ['a map in one piece', { ...ref(PART), 'x-kubernetes-map-type': 'atomic' }, 'f:!Part'],
  ];
  for (const [story, part, line] of rows) test(story, () => assert.equal(lineOf({ f: part }), line));

  test('with what is required', () =>
    assert.equal(lineOf({ f: { type: 'string' } }, { required: ['f'] }), 'f*:string'));

  test('in one piece', () =>
    assert.equal(lineOf({ f: { type: 'string' } }, { 'x-kubernetes-map-type': 'atomic' }), '! f:string'));

  test('with its numbers and pointers', () => {
    const proto =
      'message Thing {\n  // optional string g = 9;\n  optional string f = 3;\n  map<string, string> m = 4;\n}\n';
    const go = 'type Thing struct {\n\tF *string `json:"f,omitempty"`\n\tM map[string]string `json:"m"`\n}\n';
    const properties = { f: { type: 'string' }, m: { type: 'object', additionalProperties: { type: 'string' } } };
    assert.equal(lineOf(properties, {}, proto, go), 'f@3?:string m@4:{}string');
  });

  test('with what only protobuf wraps', () => {
    const proto = 'message Thing {\n  optional Inner inner = 1;\n}\nmessage Inner {\n  optional string f = 2;\n}\n';
    assert.equal(lineOf({ f: { type: 'string' } }, {}, proto), 'f:string >inner@1:apps.Inner');
  });
});

test('every root is named as its definition is', () => {
  assert.deepEqual(
    ROOT_TYPES.filter(({ name, definition }) => nameOfDefinition(definition) !== name),
    [],
  );
});

test('a definition that is not there is said', () => {
  assert.throws(() => describeTypes({}, ROOT_TYPES), /define no io\.k8s\.api\.core\.v1\.Pod/);
});
