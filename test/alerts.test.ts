/** The alert rules in deploy/alerts: they name metrics that there are, each has its runbook, and promtool finds that they fire as they say. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { openManagerRegistry } from './metrics-told.ts';

const ROOT = join(import.meta.dirname, '..');
const ALERTS = join(ROOT, 'deploy', 'alerts');

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Alert[] }[];
}

interface TestFile {
  readonly tests: readonly {
    readonly name: string;
    readonly promql_expr_test: readonly { readonly exp_samples?: readonly { readonly labels: string }[] }[];
  }[];
}

const parseRules = (text: string): readonly Alert[] => (parse(text) as RuleFile).groups.flatMap(({ rules }) => rules);
const parseTests = (text: string): TestFile['tests'] => (parse(text) as TestFile).tests;

const alerts = parseRules(readFileSync(join(ALERTS, 'macfleet.rules'), 'utf8'));
const tests = parseTests(readFileSync(join(ALERTS, 'macfleet.rules-test'), 'utf8'));

/** Of somebody else: kube-state-metrics with Cluster API's configuration. */
const FOREIGN = ['capi_machinedeployment_spec_replicas'];

describe('the alert rules', () => {
  it('name only metrics that a manager tells of', () => {
    const told = openManagerRegistry()
      .getMetricsAsArray()
      .map(({ name }) => name);
    const known = new Set([...told, ...FOREIGN]);
    const named = alerts.flatMap(({ expr }) => expr.match(/\b[a-z]+(?:_[a-z]+){1,}\b(?=\{|\)|\[|,)/g) ?? []);
    assert.ok(new Set(named).size > 8, 'metrics were found in the expressions');
    const functions = ['label_replace'];
    const labels = ['failure_reason'];
    assert.deepEqual(
      named.filter((name) => !known.has(name) && !functions.includes(name) && !labels.includes(name)),
      [],
    );
  });

  for (const { alert, labels, annotations } of alerts) {
    it(`${alert} says how urgent it is, and has a runbook`, () => {
      assert.match(labels['severity'] ?? '', /^(page|ticket)$/);
      assert.deepEqual(Object.keys(annotations), ['summary', 'description', 'runbook']);
      assert.equal(annotations['runbook'], `docs/operating.md#${alert.toLowerCase()}`);
      const docs = readFileSync(join(ROOT, 'docs', 'operating.md'), 'utf8');
      assert.match(docs, new RegExp(`^### ${alert}$`, 'm'));
    });

    it(`${alert} has a case in which it fires, and one in which nothing does`, () => {
      const own = tests.filter(({ name }) => name.startsWith(`${alert}:`));
      const looks = own.flatMap(({ promql_expr_test: found }) => found);
      const isFiring = ({ exp_samples: samples = [] }: (typeof looks)[number]): boolean =>
        samples.some((sample) => sample.labels.includes(`"${alert}"`));
      assert.ok(looks.some(isFiring), 'fires');
      assert.ok(
        looks.some(({ exp_samples: samples = [] }) => samples.length === 0),
        'does not',
      );
    });
  }

  const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
  const onlyWithPromtool = { skip: hasPromtool ? false : 'promtool is not on PATH: nobody has tried the rules' };
  it('stand on metrics that promtool finds well named and explained', onlyWithPromtool, async () => {
    const input = await openManagerRegistry().metrics();
    assert.match(input, /^# TYPE macfleet_hosts gauge$/m);
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
  });
  for (const args of [
    ['check', 'rules', 'macfleet.rules'],
    ['test', 'rules', 'macfleet.rules-test'],
  ]) {
    it(`pass promtool ${args.join(' ')}`, onlyWithPromtool, () => {
      const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: ALERTS, encoding: 'utf8' });
      assert.equal(status, 0, stdout + stderr);
    });
  }
});
