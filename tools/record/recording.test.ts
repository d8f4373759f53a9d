import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createRedraw } from '../../src/cli/redraw.ts';
import type { FleetPicture } from '../../src/cli/up/fleet-picture.ts';
import { renderPicture } from '../../src/cli/up/render-picture.ts';
import { findHeadings, findLastFrame, readSvg, renderSvg } from './recording.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const PICTURE: FleetPicture = {
  atMs: 0,
  macs: [{ mac: 'a1', fleet: 'macos', state: 'joined', step: '', sinceMs: 0, waitsFor: '<&>', node: 'Ready', pods: 1 }],
  work: [],
  pods: [{ pod: 'p', state: 'Running', node: 'n', sinceMs: 0, waitsFor: '' }],
  jobs: [{ job: '1001', state: 'running', runner: 'r', waitedMs: 1, ranMs: 1 }],
};
const FRAME = renderPicture(PICTURE);

const record = (...frames: readonly string[]): string => {
  let written = 'API server ready\n';
  const stdout = (text: string): void => {
    written += text;
  };
  const draw = createRedraw({ stdout, isTerminal: true });
  for (const frame of frames) draw(frame);
  return `${written}The Job is done.\n`.replaceAll('\n', '\r\n');
};

describe('the recording of up', () => {
  it('is the last whole frame: not one before there was work, nor what was said after the last', () => {
    const early = renderPicture({ ...PICTURE, pods: [], jobs: [] });
    assert.equal(findLastFrame(record(early, `${FRAME}\nolder`, FRAME, early, early)), FRAME);
    assert.equal(findLastFrame(record(early, early, early)), undefined);
  });

  it('keeps every character', () => {
    assert.equal(readSvg(renderSvg('up', FRAME)), `$ up\n\n${FRAME}`);
  });

  it('in docs has the headings that up has today; `npm run record` makes it anew', () => {
    const recorded = readSvg(readFileSync(join(ROOT, 'docs/up.svg'), 'utf8'));
    assert.equal(findHeadings(FRAME).length, 3);
    assert.deepEqual(findHeadings(recorded), findHeadings(FRAME));
    assert.match(recorded, /^\$ \.\/macfleet up /);
    assert.match(readFileSync(join(ROOT, 'README.md'), 'utf8'), /!\[[^\]]+\]\(docs\/up\.svg\)/);
  });
});
