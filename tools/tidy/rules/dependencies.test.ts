/** Samples of dependencies and of what is written about them. */
import { testRule } from '../testing/test-rule.ts';
import { dependencies } from './dependencies.ts';

const manifest = (sections: Readonly<Record<string, Readonly<Record<string, string>>>>): string =>
  `${JSON.stringify(sections, undefined, 2)}\n`;
const row = (name: string): string => `| \`${name}\` | parsing | its authors | write it |\n`;
const PACKAGE = manifest({ dependencies: { zod: '4.6.7' }, devDependencies: { knip: '6.44.1' } });
const DOCUMENT = `# x\n\n${row('zod')}${row('knip')}`;
const GOOD = { 'package.json': PACKAGE, 'docs/dependencies.md': DOCUMENT };

testRule(dependencies, [
  {
    story: 'exact pins, a row each, and imports of what users install',
    files: { ...GOOD, 'src/a.ts': "import { z } from 'zod/mini';\nimport 'node:util';\nimport './b.ts';\n" },
    finds: [],
  },
  {
    story: 'a development dependency in tests and tools',
    files: { ...GOOD, 'src/a.test.ts': "import 'knip';\n", 'tools/a.ts': "import 'knip';\n" },
    finds: [],
  },
  {
    story: 'a caret',
    files: { ...GOOD, 'package.json': PACKAGE.replace('4.6.7', '^4.6.7') },
    finds: ['package.json:3'],
  },
  {
    story: 'a tag',
    files: { ...GOOD, 'package.json': PACKAGE.replace('6.44.1', 'latest') },
    finds: ['package.json:6'],
  },
  {
    story: 'a dependency without a row',
    files: { ...GOOD, 'docs/dependencies.md': row('zod') },
    finds: ['package.json:6'],
  },
  {
    story: 'a row without a dependency',
    files: { ...GOOD, 'docs/dependencies.md': `${DOCUMENT}${row('left-pad')}` },
    finds: ['docs/dependencies.md:5'],
  },
  {
    story: 'a row that does not say how to leave',
    files: { ...GOOD, 'docs/dependencies.md': `${row('zod')}| \`knip\` | x | y |  |\n` },
    finds: ['docs/dependencies.md:2'],
  },
  {
    story: 'a development dependency in product code',
    files: { ...GOOD, 'src/a.ts': "\nimport 'knip';\n" },
    finds: ['src/a.ts:2'],
  },
  {
    story: 'a package nobody installs',
    files: { ...GOOD, 'bin/a.ts': "import '@scope/name/deep';\n" },
    finds: ['bin/a.ts:1'],
  },
]);
