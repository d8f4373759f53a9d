/**
 * Writes src/controlplane/api/kinds/types/builtin-types.json, by hand when Kubernetes' version changes: from the OpenAPI
 * documents of a real kube-apiserver, which it starts, and from the sources that the server was built from. Needs Go and
 * `npm run cluster:build`. A test of test:cluster says when the file is outdated.
 */
import '../bin/require-node.js';
import { writeFileSync } from 'node:fs';
import { startReal } from '../test/conformance/servers/real.ts';
import { makeBuiltinTypes, readDocuments, readSourceFiles, TYPES_FILE } from './builtin-types/make.ts';

const server = await startReal();
try {
  const lines = makeBuiltinTypes(await readDocuments(server), readSourceFiles());
  writeFileSync(TYPES_FILE, `${JSON.stringify(lines, null, 2)}\n`);
  process.stdout.write(`${Object.keys(lines).length} types\n`);
} finally {
  await server.stop();
}
