/** Samples of files that lead back to themselves. */
import { testRule } from '../testing/test-rule.ts';
import { importCycles } from './import-cycles.ts';

testRule(importCycles, [
  {
    story: 'a diamond',
    files: {
      'src/base/a.ts': "import './b.ts';\nimport './c.ts';\n",
      'src/base/b.ts': "import './d.ts';\n",
      'src/base/c.ts': "import './d.ts';\n",
      'src/base/d.ts': '',
    },
    finds: [],
  },
  {
    story: 'two files that import each other, if only for a type',
    files: { 'src/base/a.ts': "import './b.ts';\n", 'src/base/b.ts': "\nimport type { A } from './a.ts';\n" },
    finds: ['src/base/b.ts:2'],
  },
  {
    story: 'a circle of three across folders',
    files: {
      'src/base/a.ts': "import '../pki/b.ts';\n",
      'src/pki/b.ts': "import './c.ts';\n",
      'src/pki/c.ts': "import '../base/a.ts';\n",
    },
    finds: ['src/pki/c.ts:1'],
  },
  { story: 'a file that imports itself', files: { 'src/base/a.ts': "import './a.ts';\n" }, finds: ['src/base/a.ts:1'] },
]);
