import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planChaos } from './plan-chaos.ts';
import { renderComparison } from './render-verdict.ts';
import { runOriginal } from './run-original.ts';

const judge = (seed: number, durationMs: number) => {
  const options = { seed, durationMs, macs: 5, machines: 4 };
  return runOriginal({ ...options, plan: planChaos(options), speedUp: 300, initial: 2 });
};

describe("the original's order of effects under a plan of chaos", () => {
  it('breaks each of its promises within a few seeds, the same way for the same seed', async () => {
    const found: Awaited<ReturnType<typeof judge>>[] = [];
    for (const seed of [1, 3, 10]) found.push(await judge(seed, 60_000));
    const sum = (key: 'wrongWipes' | 'doubleClaims' | 'dirtyHandovers'): number =>
      found.reduce((total, judgement) => total + judgement[key], 0);
    assert.ok(sum('wrongWipes') > 0, 'a wipe of a Mac that another machine has');
    assert.ok(sum('doubleClaims') > 0, 'two machines on one Mac');
    assert.ok(sum('dirtyHandovers') > 0, 'a Mac with the last disk');
    assert.deepEqual(await judge(1, 60_000), found[0]);
  });

  it('works as long as nothing goes wrong: no Mac is lost to two machines, and none is wiped under one', async () => {
    const options = { seed: 1, durationMs: 1, macs: 5, machines: 4 };
    const plan = [4, 0, 4].map((machines, at) => ({ atMs: at * 20_000, blow: { do: 'scale', machines } as const }));
    const run = { ...options, durationMs: 60_000, plan, speedUp: 300, initial: 2 };
    const { wipes, wrongWipes, doubleClaims, dirtyHandovers } = await runOriginal(run);
    assert.ok(wipes >= 4, `${wipes} wipes`);
    assert.deepEqual(
      { wrongWipes, doubleClaims, dirtyHandovers },
      { wrongWipes: 0, doubleClaims: 0, dirtyHandovers: 0 },
    );
  });

  it('is shown beside ours, and called a model', async () => {
    const bad = await judge(10, 60_000);
    const ours = { ...bad, wrongWipes: 0, doubleClaims: 0, dirtyHandovers: 0, wipes: 3, findings: [] };
    const text = renderComparison(ours, bad);
    assert.match(text, new RegExp(`^wiped while a machine had it +0 +${bad.wrongWipes}$`, 'm'));
    assert.match(text, /a model of the order/);
  });
});
