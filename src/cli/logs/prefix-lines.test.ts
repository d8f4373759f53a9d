import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLinePrefixer } from './prefix-lines.ts';

it('lines of several logs are whole and told apart, wherever their pieces end', () => {
  let text = '';
  const write = (piece: string): void => {
    text += piece;
  };
  const [one, other] = [createLinePrefixer('[a] ', write), createLinePrefixer('[b] ', write)];
  one.push('hel');
  other.push('first\nsecond\nth');
  one.push('lo\n\n');
  other.end();
  one.end();
  assert.equal(text, '[b] first\n[b] second\n[a] hello\n[a] \n[b] th\n');
});
