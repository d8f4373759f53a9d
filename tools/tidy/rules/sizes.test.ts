/** Samples of files and functions that outgrew a reader's eye. */
import { testRule } from '../testing/test-rule.ts';
import { sizesExcept } from './sizes.ts';

const lines = (count: number): string => 'x();\n'.repeat(count);
const arrow = (count: number): string => `const f = () => {\n${lines(count - 2)}};\n`;
const rule = sizesExcept({ 'src/base/table.ts': 'one table', 'src/base/machine.ts#f': 'one machine' });
/** Keeps the exceptions above in use. */
const EXCEPTED = { 'src/base/table.ts': lines(401), 'src/base/machine.ts': arrow(61) };

testRule(rule, [
  {
    story: 'a file and a function just short enough, and the exceptions',
    files: { ...EXCEPTED, 'src/base/a.ts': lines(400), 'src/base/b.ts': arrow(60) },
    finds: [],
  },
  {
    story: 'a file one line too long',
    files: { ...EXCEPTED, 'src/base/a.ts': lines(401) },
    finds: ['src/base/a.ts:1'],
  },
  {
    story: 'a script one line too long',
    files: { ...EXCEPTED, 'src/hosts/scripts/a.sh': lines(401) },
    finds: ['src/hosts/scripts/a.sh:1'],
  },
  {
    story: 'a test file of the length of a chapter',
    files: { ...EXCEPTED, 'src/base/a.test.ts': lines(600) },
    finds: [],
  },
  {
    story: 'a test file that is longer',
    files: { ...EXCEPTED, 'src/base/a.test.ts': lines(601) },
    finds: ['src/base/a.test.ts:1'],
  },
  {
    story: 'an arrow function too long',
    files: { ...EXCEPTED, 'src/base/a.ts': `\n${arrow(61)}` },
    finds: ['src/base/a.ts:2'],
  },
  {
    story: 'an arrow function too long that is one expression',
    files: { ...EXCEPTED, 'src/base/a.ts': `const f = () => ({\n${'  a: 1,\n'.repeat(60)}});\n` },
    finds: ['src/base/a.ts:1'],
  },
  {
    story: 'a function declaration too long',
    files: { ...EXCEPTED, 'src/base/a.ts': `export function f(): Map<A, B> {\n${lines(60)}}\n` },
    finds: ['src/base/a.ts:1'],
  },
  {
    story: 'a method too long',
    files: { ...EXCEPTED, 'src/base/a.ts': `class A {\n  run(x: X): { a: B } | undefined {\n${lines(60)}}\n}\n` },
    finds: ['src/base/a.ts:2'],
  },
  {
    story: 'a class, a block and a call, which are no functions',
    files: {
      ...EXCEPTED,
      'src/base/a.ts': `class A {\n  run(): () => void {\n    return 1;\n  }\n${'  x = 1;\n'.repeat(70)}}\nif (x) {\n${lines(70)}}\n`,
    },
    finds: [],
  },
  {
    story: 'a group of tests',
    files: { ...EXCEPTED, 'src/base/a.test.ts': `describe('x', () => {\n${lines(100)}});\n` },
    finds: [],
  },
  {
    story: 'a single test too long',
    files: { ...EXCEPTED, 'src/base/a.test.ts': `test('x', () => {\n${lines(100)}});\n` },
    finds: ['src/base/a.test.ts:1'],
  },
  {
    story: 'an exception that is no longer needed',
    files: { ...EXCEPTED, 'src/base/table.ts': lines(3) },
    finds: ['src/base/table.ts:1'],
  },
]);
