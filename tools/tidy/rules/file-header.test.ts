/** Samples of files with and without a first word. */
import { testRule } from '../testing/test-rule.ts';
import { fileHeader } from './file-header.ts';

testRule(fileHeader, [
  { story: 'a header', files: { 'src/base/a.ts': '/** Why. */\nexport {};\n' }, finds: [] },
  {
    story: 'a header after the interpreter line',
    files: { 'bin/a.ts': '#!/usr/bin/env node\n/** Why. */\n' },
    finds: [],
  },
  { story: 'a test, whose names say enough', files: { 'src/base/a.test.ts': "import 'x';\n" }, finds: [] },
  {
    story: 'a file that starts with code',
    files: { 'src/base/a.ts': "import 'x';\n/** Why. */\n" },
    finds: ['src/base/a.ts:1'],
  },
  { story: 'a file that starts with a remark', files: { 'tools/a.ts': '// Why.\n' }, finds: ['tools/a.ts:1'] },
]);
