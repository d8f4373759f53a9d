/** The verdict on a minute of chaos, in one sentence and with what it rests on. Pure. */
import type { ChaosCounts, ChaosJudgement } from './judge-audit.ts';

export interface Ordeal {
  readonly kills: number;
  /** Blows of any other kind. */
  readonly otherBlows: number;
  readonly judgement: ChaosJudgement;
  /** Whether every Mac that is wanted is a Ready Node, and every other one free. */
  readonly isWhole: boolean;
}

export const isGood = ({ judgement, isWhole }: Pick<Ordeal, 'judgement' | 'isWhole'>): boolean =>
  isWhole && judgement.findings.length === 0;

const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

export const renderVerdict = ({ kills, otherBlows, judgement, isWhole }: Ordeal): string => {
  const { wipes, findings } = judgement;
  const sentence = [
    plural(kills, 'kill'),
    ...renderCounts(judgement),
    isWhole ? 'all Macs Ready' : 'NOT all Macs Ready',
  ];
  return [
    `Verdict: ${sentence.join(', ')}.`,
    `Beside the kills ${plural(otherBlows, 'other blow')} fell, and ${plural(wipes, 'Mac was', 'Macs were')} wiped on purpose. Judged on every write that arrived at the simulated cloud.`,
    ...findings.slice(0, SHOWN_MAX).map(({ message }) => `  ${message}`),
  ].join('\n');
};

const SHOWN_MAX = 10;

const renderCounts = (counts: ChaosJudgement): readonly string[] => [
  plural(counts.wrongWipes, 'wrong wipe'),
  plural(counts.doubleClaims, 'double claim'),
  ...(counts.dirtyHandovers === 0
    ? []
    : [plural(counts.dirtyHandovers, 'Mac handed on unwiped', 'Macs handed on unwiped')]),
  ...(counts.otherBreaches === 0 ? [] : [plural(counts.otherBreaches, 'other breach', 'other breaches')]),
];

/** Ours beside the other order of effects, under the same plan. */
export const renderComparison = (ours: ChaosJudgement, original: ChaosJudgement): string => {
  const rows: readonly (readonly [string, keyof ChaosCounts])[] = [
    ['wiped while a machine had it', 'wrongWipes'],
    ['given to two machines', 'doubleClaims'],
    ['handed on with the last disk', 'dirtyHandovers'],
    ['wiped on purpose or not', 'wipes'],
  ];
  const table = rows.map(([what, key]) => [what, String(ours[key]), String(original[key])] as const);
  const width = Math.max(...rows.map(([what]) => what.length));
  return [
    `${'Macs'.padEnd(width)}  Macfleet  the original's order of effects`,
    ...table.map(([what, own, other]) => `${what.padEnd(width)}  ${own.padEnd('Macfleet'.length)}  ${other}`),
    "The same seed and the same judge. The right column is a model of the order that the original's code is described to have, on the virtual clock; it is not its code.",
  ].join('\n');
};
