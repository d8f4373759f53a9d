import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOST_STATES } from '../../src/kinds/mac-host.ts';
import { renderLifePage } from './life-page.ts';

describe('the page about the life of a Mac', () => {
  const page = renderLifePage();
  it('has every state twice: what it means, and what happens in it', () => {
    for (const state of HOST_STATES) assert.equal(page.split(`| **${state}** |`).length, 3, state);
  });

  it('has tables whose rows are all as long as their heads', () => {
    for (const block of page.split('\n\n').filter((text) => text.startsWith('|'))) {
      const widths = new Set(
        block
          .trim()
          .split('\n')
          .map((line) => line.split('|').length),
      );
      assert.equal(widths.size, 1, block);
    }
  });
});
