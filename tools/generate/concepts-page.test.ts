import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOST_STATES } from '../../src/kinds/mac-host.ts';
import { CONCEPTS_PAGE, renderConceptsPage } from './concepts-page.ts';
import { LIFE_ARROWS, renderLifePicture } from './life-picture.ts';

describe('the picture of the life of a Mac', () => {
  it('has every state, and every arrow leads from one to another', () => {
    const drawn = new Set(LIFE_ARROWS.flatMap(({ from, to }) => [from, to]));
    assert.deepEqual([...drawn].toSorted(), HOST_STATES.toSorted());
    assert.deepEqual(
      LIFE_ARROWS.filter(({ from, to }) => from === to),
      [],
    );
  });
  it('lets nobody into a pool but from a wipe, or who was never taken out of it', () => {
    const ways = LIFE_ARROWS.filter(({ to }) => to === 'free').map(({ from }) => from);
    assert.deepEqual(ways.toSorted(), ['claimed', 'wiping']);
  });
});

describe('the page of concepts', () => {
  const page = (name: string) => `# A\n\n<!-- picture: ${name} -->\nold\n<!-- end of picture -->\n\nB\n`;
  it('keeps its words, and has its pictures drawn anew', () => {
    const rendered = renderConceptsPage(new Map([[CONCEPTS_PAGE, page('life of a Mac')]]));
    assert.ok(rendered.startsWith('# A\n\n<!-- picture') && rendered.endsWith('<!-- end of picture -->\n\nB\n'));
    assert.ok(rendered.includes(renderLifePicture()) && !rendered.includes('old'));
    assert.equal(renderConceptsPage(new Map([[CONCEPTS_PAGE, rendered]])), rendered);
  });
  it('names no picture that there is none of', () => {
    assert.throws(() => renderConceptsPage(new Map([[CONCEPTS_PAGE, page('nothing')]])), /no picture "nothing"/);
  });
});
