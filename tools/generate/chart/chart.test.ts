/** What the chart is made of agrees with itself: values, schema, templates. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { REFUSED_VALUES } from './refused-values.ts';
import { block, inline, renderTemplate } from './slots.ts';
import { valuesSchema } from './values.ts';
import { listValues, renderValues, renderValuesSchema } from './values-files.ts';

const CHART = join(import.meta.dirname, '..', '..', '..', 'charts', 'macfleet');
const TEMPLATES = join(CHART, 'templates');

/** Of all templates, the words after `.Values.`: `macosFleet.scaleway.secretName`. */
const usedValues = (): ReadonlySet<string> => {
  const files = readdirSync(TEMPLATES, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.'));
  const texts = files.map((name) => readFileSync(join(TEMPLATES, name), 'utf8'));
  const found = texts.flatMap((text) => text.match(/\.Values\.[\w.]+/g) ?? []);
  return new Set(found.map((path) => path.slice('.Values.'.length)));
};

const at = (values: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], values);

describe('the values', () => {
  const defaults = valuesSchema.parse({});

  it('are in values.yaml as the schema has them', () => {
    assert.deepEqual(
      JSON.parse(JSON.stringify(valuesSchema.parse(parse(renderValues())))),
      JSON.parse(JSON.stringify(defaults)),
    );
    assert.deepEqual(parse(renderValues()), JSON.parse(JSON.stringify(defaults)));
  });

  it('are all there that a template reads, and no template reads another', () => {
    const refused = REFUSED_VALUES.map(({ path }) => path);
    const unknown = [...usedValues()].filter((path) => at(defaults, path) === undefined && !refused.includes(path));
    assert.deepEqual(unknown, []);
  });

  it('each say what they are for', () => {
    for (const { path, description } of listValues()) assert.match(description, /^.{3,}[.:…]?$/s, path);
    assert.ok(listValues().length > 100);
  });

  const rows = [
    { story: 'a number as text', values: { macosFleet: { replicas: 'many' } }, ok: false },
    { story: 'a negative count', values: { macosFleet: { replicas: -1 } }, ok: false },
    { story: 'a key that nobody knows', values: { macosFleet: { replica: 1 } }, ok: false },
    {
      story: 'a pool without a name',
      values: { runnersFleet: { pools: [{ runnerImage: 'a', dispatchLabel: 'b' }] } },
      ok: false,
    },
    { story: 'a version of Xcode as a number', values: { runnersFleet: { xcodeVersions: [26] } }, ok: false },
    {
      story: 'values of the original, which the chart itself judges',
      values: { macosFleet: { tailscale: { enabled: false } } },
      ok: true,
    },
    { story: 'values of a chart around it', values: { global: { domain: 'example.com' } }, ok: true },
  ];
  for (const { story, values, ok } of rows) {
    it(`${ok ? 'let' : 'do not let'} pass ${story}`, () => assert.equal(valuesSchema.safeParse(values).success, ok));
  }

  it('have a schema that asks for nothing: every value has a default', () => {
    const { required, additionalProperties } = JSON.parse(renderValuesSchema()) as Record<string, unknown>;
    assert.deepEqual([required, additionalProperties], [undefined, false]);
  });
});

describe('a slot', () => {
  it('becomes an action on its line, and a block of YAML under its key', () => {
    const object = { list: [{ name: inline('.Values.name'), args: block('toYaml .Values.args') }] };
    assert.equal(
      renderTemplate([object]),
      'list:\n  - args: {{- toYaml .Values.args | nindent 6 }}\n    name: {{ .Values.name }}\n',
    );
  });

  it('is told from text that only looks like an action', () => {
    assert.equal(renderTemplate([{ text: 'say {{ this }}' }]), 'text: say {{ "{{ this }}" }}\n');
  });

  it('stands inside of a condition', () => {
    assert.equal(renderTemplate([{ a: 1 }], '.Values.on'), '{{- if .Values.on }}\na: 1\n{{- end }}\n');
  });
});
