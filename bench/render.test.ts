import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FigureResult } from './judge.ts';
import { renderJsonLine, renderList, renderTable } from './render.ts';

const result: FigureResult = {
  ...{ bench: 'list-hold', figure: 'heap, MB', ours: 43.9, peer: 85.7, ratio: 0.5123 },
  ...{ goal: 'ratio <= 0.65', met: true },
};

describe('the table', () => {
  test('lines up names at the left and numbers at the right', () => {
    const other: FigureResult = {
      ...result,
      bench: 'queue',
      figure: 'rate',
      ours: 1_234_567.8,
      peer: null,
      ratio: null,
    };
    assert.equal(
      renderTable([result, { ...other, goal: null, met: null }]),
      [
        'bench      figure           ours  peer   ratio  goal           met',
        '---------  --------  -----------  ----  ------  -------------  ---',
        'list-hold  heap, MB         43.9  85.7  0.5123  ratio <= 0.65  yes',
        'queue      rate      1,234,567.8     -       -',
        '',
      ].join('\n'),
    );
  });

  const verdicts: readonly { readonly met: boolean | null; readonly shown: string }[] = [
    { met: true, shown: 'yes' },
    { met: false, shown: 'no' },
    { met: null, shown: 'not measured' },
  ];
  for (const { met, shown } of verdicts) {
    test(`says "${shown}" of a goal when met is ${met}`, () => {
      assert.match(renderTable([{ ...result, met }]), new RegExp(` ${shown}\n$`));
    });
  }
});

test('a JSON line holds exactly the promised keys, in order', () => {
  assert.equal(
    renderJsonLine({ ...result, peer: null, ratio: null, met: null }),
    '{"bench":"list-hold","figure":"heap, MB","ours":43.9,"peer":null,"ratio":null,"goal":"ratio <= 0.65","met":null}\n',
  );
});

test('the list shows a line for each benchmark with its goals', () => {
  const figures = [{ name: 'rate, adds/s' }, { name: 'keys lost', goal: { of: 'ours', is: '=', value: 0 } as const }];
  assert.equal(
    renderList([
      { id: 'queue', about: 'many adds', figures, ours: async () => ({}) },
      { id: 'a', about: 'nothing', figures: [], ours: async () => ({}) },
    ]),
    'queue  many adds (keys lost: ours = 0)\na      nothing\n',
  );
});
