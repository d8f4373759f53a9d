import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fold, unfold } from './fold.ts';

describe('a program in a comment', () => {
  const FRONT = "const mark = '/* The agent:'; import.meta.ran = mark;";
  const rows = [
    { story: 'with nothing to hide', program: 'const a = 1;\nrun(a);' },
    { story: 'with ends of comments in strings and expressions', program: "accept('*/*'); /a*/.test('**/');" },
    { story: 'with line breaks at both ends', program: '\n\nrun();\n\n' },
    { story: 'with nothing in it', program: '' },
  ];
  for (const { story, program } of rows) {
    it(`comes out as it was put in: one ${story}`, () => assert.equal(unfold(fold(FRONT, program)), program));
  }

  it('is out of sight of whoever reads the whole as a program', () => {
    const folded = fold('return 7;', "throw new Error('read'); /a*/.test('');");
    assert.equal(new Function(folded)(), 7);
  });
});
