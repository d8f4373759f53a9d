import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Definitions } from '../../tools/builtin-types/describe-types.ts';
import { makeBuiltinTypes, readDocuments, readSourceFiles, TYPES_FILE } from '../../tools/builtin-types/make.ts';
import { startReal } from '../conformance/servers/real.ts';
import type { ConformanceServer } from '../conformance/servers/server.ts';

type Lines = Readonly<Record<string, string>>;

/** Without what only the sources know: numbers, pointers, and the wrappers of protobuf. */
const asDocumented = (lines: Lines, names: readonly string[]): Lines =>
  Object.fromEntries(
    names.map((name) => {
      const words = (lines[name] ?? '').split(' ').filter((word) => !word.startsWith('>'));
      return [name, words.map((word) => word.replace(/^([^:@?]+)(?:@\d+)?\??/, '$1')).join(' ')];
    }),
  );

describe('the types of the built-in kinds (node tools/builtin-types.ts)', () => {
  const committed: Lines = JSON.parse(readFileSync(TYPES_FILE, 'utf8'));
  let server: ConformanceServer;
  let documents: Definitions = {};

  before(async () => {
    server = await startReal();
    documents = await readDocuments(server);
  });
  after(() => server?.stop());

  test('are those that the real kube-apiserver documents', () => {
    const made = makeBuiltinTypes(documents, []);
    const names = Object.keys(made);
    assert.ok(names.length > 200, `${names.length} types`);
    assert.deepEqual(asDocumented(committed, names), asDocumented(made, names));
  });

  test('have the numbers of its sources', (t) => {
    let files: ReturnType<typeof readSourceFiles>;
    try {
      files = readSourceFiles();
    } catch {
      t.skip('the sources of Kubernetes are not here: the programs were not built on this machine');
      return;
    }
    assert.deepEqual(committed, makeBuiltinTypes(documents, files));
  });
});
