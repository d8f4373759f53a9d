import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALL_KINDS } from './all-kinds.ts';
import { toObjectSchema } from './schema/crd.ts';
import { brokenRules } from './testing/cel-rules.ts';
import { GO_OBJECTS } from './testing/go-objects.ts';
import { UPDATES } from './testing/updates.ts';

const schemas = new Map(ALL_KINDS.map((kind) => [kind.resource.kind, toObjectSchema(kind)]));

const messagesFor = (kind: string, object: unknown, old?: unknown): readonly string[] => {
  const schema = schemas.get(kind);
  assert.ok(schema !== undefined);
  return brokenRules(schema, object, old);
};

describe('the rules of the CRDs', () => {
  for (const { story, kind, object, old, refusal } of UPDATES) {
    it(`${refusal === undefined ? 'allow' : 'refuse'} a ${kind} that ${story}`, () => {
      const messages = messagesFor(kind, object, old);
      if (refusal === undefined) assert.deepEqual(messages, []);
      else assert.match(messages.join('\n'), refusal);
    });
  }

  it('are each broken by a row of the table', () => {
    const messages = /(?<="rule":"(?:[^"\\]|\\.)*","message":")[^"]+/g;
    const rules = new Set([...schemas.values()].flatMap((schema) => JSON.stringify(schema).match(messages) ?? []));
    const broken = new Set(UPDATES.flatMap(({ kind, object, old }) => messagesFor(kind, object, old)));
    assert.ok(rules.size > 5);
    assert.deepEqual([...rules.difference(broken)], []);
  });

  it('never stand in the way of what the Go original wrote', () => {
    for (const { kind, object } of GO_OBJECTS) assert.deepEqual(messagesFor(kind, object, object), []);
  });
});
