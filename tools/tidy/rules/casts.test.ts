/** Samples of casts at home and abroad. */
import { testRule } from '../testing/test-rule.ts';
import { casts } from './casts.ts';

const inSource = (code: string): Readonly<Record<string, string>> => ({ 'src/kube/a.ts': `${code}\n` });

testRule(casts, [
  { story: 'a cast in plain code', files: inSource('const x = y as Pod;'), finds: ['src/kube/a.ts:1'] },
  {
    story: 'a cast by way of unknown',
    files: inSource('const x = (y as unknown) as Pod;'),
    finds: ['src/kube/a.ts:1', 'src/kube/a.ts:1'],
  },
  { story: 'a cast of a call', files: inSource('const x = read() as Pod;'), finds: ['src/kube/a.ts:1'] },
  {
    story: 'as any, even inside parse',
    files: inSource('const parsePod = (y: unknown) => y as any;'),
    finds: ['src/kube/a.ts:1'],
  },
  { story: 'as any, even in a test', files: { 'src/a.test.ts': 'const x = y as any;\n' }, finds: ['src/a.test.ts:1'] },
  {
    story: 'a function whose name only begins like parse',
    files: inSource('const parser = (y: unknown) => y as Pod;'),
    finds: ['src/kube/a.ts:1'],
  },
  {
    story: 'a cast after the end of a parse function',
    files: inSource('const parseX = () => { return 1; };\nconst x = y as Pod;'),
    finds: ['src/kube/a.ts:2'],
  },
  { story: 'as const', files: inSource("const x = ['a'] as const;"), finds: [] },
  { story: 'satisfies', files: inSource('const x = { a: 1 } satisfies A;'), finds: [] },
  {
    story: 'a cast in a parse function, also deep inside it',
    files: inSource('export const parsePod = (y: unknown): Pod => {\n  return [y].map((z) => z as Pod)[0];\n};'),
    finds: [],
  },
  {
    story: 'a cast in a parse function with type parameters',
    files: inSource('const parse = <A, B>(y: unknown): Map<A, B> => y as Map<A, B>;'),
    finds: [],
  },
  {
    story: 'a cast in a function declaration called parse',
    files: inSource('function parseIt(y: unknown): Pod {\n  return y as Pod;\n}'),
    finds: [],
  },
  {
    story: 'renamed imports and exports',
    files: inSource("import { type A as B, c as d } from './x.ts';\nimport * as e from './y.ts';\nexport { d as f };"),
    finds: [],
  },
  { story: 'a rare cast in a test', files: { 'src/a.test.ts': 'const x = y as Pod;\n' }, finds: [] },
]);
