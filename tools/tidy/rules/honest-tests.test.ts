/** Samples of tests that do not run. */
import { testRule } from '../testing/test-rule.ts';
import { honestTests } from './honest-tests.ts';

testRule(honestTests, [
  {
    story: 'skips with a reason',
    files: {
      'src/a.test.ts': "test('x', { skip: 'no openssl here' }, f);\ntest('y', (t) => t.skip('no zsh here'));\n",
    },
    finds: [],
  },
  { story: 'a property of that name in product code', files: { 'src/a.ts': 'const x = { only: true };\n' }, finds: [] },
  { story: 'only', files: { 'src/a.test.ts': "\ntest.only('x', f);\n" }, finds: ['src/a.test.ts:2'] },
  { story: 'only in a group', files: { 'src/a.test.ts': "describe.only('x', f);\n" }, finds: ['src/a.test.ts:1'] },
  {
    story: 'only as an option',
    files: { 'src/a.test.ts': "test('x', { only: true }, f);\n" },
    finds: ['src/a.test.ts:1'],
  },
  { story: 'a skip without a reason', files: { 'src/a.test.ts': "it.skip('x', f);\n" }, finds: ['src/a.test.ts:1'] },
  {
    story: 'a skip as a bare option',
    files: { 'test/a.test.ts': "test('x', { skip: true }, f);\n" },
    finds: ['test/a.test.ts:1'],
  },
  { story: 'a test that is only planned', files: { 'src/a.test.ts': "test.todo('x');\n" }, finds: ['src/a.test.ts:1'] },
]);
