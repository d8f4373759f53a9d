import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../../base/errors.ts';
import type { MacRack } from '../../sim/mac/bash/mac-rack.ts';
import { chooseMacs, describeChoice, type MacWish, type OpenRack, REAL_BASH_MAX } from './choose-macs.ts';

const RACK: MacRack = {
  ...{ dir: '/macs', root: { dir: '/macs/root', mounts: [] }, maker: 'bwrap' },
  door: { port: 1, register: () => () => undefined, close: () => Promise.resolve() },
  close: () => Promise.resolve(),
};
const possible: OpenRack = async () => RACK;
const impossible: OpenRack = async () => {
  throw new FleetError('unavailable', { code: 'NoSandbox', message: 'sandboxes need Linux' });
};
const untried: OpenRack = () => assert.fail('no sandbox is tried');

const wish = (more: Partial<MacWish> = {}): MacWish => ({ asked: undefined, macs: 3, isKept: false, ...more });

describe('the Macs of up', () => {
  const rows: readonly { story: string; wish: MacWish; openRack: OpenRack; says: RegExp }[] = [
    { story: 'run real bash where that is possible', wish: wish(), openRack: possible, says: /real bash in sandboxes/ },
    {
      story: 'are step-level where it is not',
      wish: wish(),
      openRack: impossible,
      says: /script: sandboxes need Linux/,
    },
    { story: 'are step-level with --data', wish: wish({ isKept: true }), openRack: untried, says: /kept with --data/ },
    {
      story: 'are step-level when they are many',
      wish: wish({ macs: REAL_BASH_MAX + 1 }),
      openRack: untried,
      says: /more than 8/,
    },
    {
      story: 'run real bash when they are many and it was asked for',
      wish: wish({ macs: REAL_BASH_MAX + 1, asked: 'real-bash' }),
      openRack: possible,
      says: /real bash in sandboxes/,
    },
    {
      story: 'are step-level when asked for',
      wish: wish({ asked: 'step-level' }),
      openRack: untried,
      says: /asked for/,
    },
  ];
  for (const { story, wish: wanted, openRack, says } of rows) {
    it(story, async () => assert.match(describeChoice(await chooseMacs(wanted, openRack)), says));
  }

  it('are refused as real bash where that is not possible, and where they are to be kept', async () => {
    const asked = 'real-bash';
    await assert.rejects(chooseMacs(wish({ asked }), impossible), { code: 'NoSandbox' });
    await assert.rejects(chooseMacs(wish({ asked, isKept: true }), untried), { kind: 'invalid', code: 'MacsNotKept' });
  });

  it('are not chosen otherwise because of a bug', async () => {
    const broken: OpenRack = async () => {
      throw new TypeError('a bug');
    };
    await assert.rejects(chooseMacs(wish(), broken), TypeError);
  });
});
