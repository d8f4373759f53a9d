/** `npm run check:tidy`: every breach of a house rule as `file:line: rule: what, and what to do instead`. */
import { join } from 'node:path';
import { readTree } from './read-tree.ts';
import { RULES } from './rules.ts';

const tree = readTree(join(import.meta.dirname, '..', '..'));
const lines = RULES.flatMap(({ name, check }) =>
  check(tree).map(({ path, line, message }) => `${path}:${line}: ${name}: ${message}`),
);
for (const line of lines) process.stdout.write(`${line}\n`);
process.stdout.write(`${tree.files.length} files, ${RULES.length} rules, ${lines.length} breaches\n`);
process.exitCode = lines.length > 0 ? 1 : 0;
