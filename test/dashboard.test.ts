/** The dashboard shows what there is to show: a panel on a metric that nobody tells of would stay empty for ever. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DASHBOARD_ROWS, renderDashboard } from '../tools/generate/chart/dashboard.ts';
import { openManagerRegistry, openRunnersRegistry } from './metrics-told.ts';

const told = new Set(
  [openManagerRegistry(), openRunnersRegistry()].flatMap((registry) =>
    registry.getMetricsAsArray().map(({ name }) => name),
  ),
);

describe('the dashboard', () => {
  for (const { expr, title } of DASHBOARD_ROWS.flatMap(({ panels }) => panels)) {
    it(`${title} shows metrics that our processes tell of`, () => {
      const named = expr.match(/\b[a-z]+(?:_[a-z]+)+\b(?=[{)[\]]|$)/g) ?? [];
      assert.ok(named.length > 0, expr);
      assert.deepEqual(
        named.filter((name) => !told.has(name)),
        [],
      );
    });
  }

  it('has panels that do not lie on each other', () => {
    const { panels } = JSON.parse(renderDashboard()) as { panels: { gridPos: { x: number; y: number } }[] };
    const corners = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
    assert.equal(new Set(corners).size, corners.length);
  });
});
