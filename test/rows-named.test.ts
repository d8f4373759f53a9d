/**
 * Every row of the mission, every rule of a Mac's life, every behaviour that the Go original's tests pin and every incident that is no step on a Mac is
 * named by a test: whoever changes one finds what holds it.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { describe, it } from 'node:test';

const count = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

const padded = (number: number): string => String(number).padStart(2, '0');

/** Tailnet egress and private networks are not here. */
const DEFERRED = [16, 17, 18, 19, 20, 61];
/** What a step on a Mac, the tailnet or the chart answers for. */
const ELSEWHERE = [2, 6, 8, 9, 10, 18, 22, 23, 25, 26, 27, 29, 30, 31, 32, 33, 35];

/** How many rows each part of the mission has. */
const PARTS = { '000': 7, '001': 4, '002': 5, '003': 4, '004': 8 };
const ROWS = Object.entries(PARTS).flatMap(([part, rows]) => count(1, rows).map((row) => `${part}-${row}`));
/** Those that are to hold on a real cluster too. */
const ON_A_CLUSTER = ['001-2', '002-2', '002-5', '003-4', '004-1', '004-2', '004-6', '004-7', '004-8'];
const RULES = count(1, 29).map((number) => `R${number}`);
const BEHAVIOURS = count(1, 70)
  .filter((number) => !DEFERRED.includes(number))
  .map((number) => `T-${padded(number)}`);
const INCIDENTS = count(1, 35)
  .filter((number) => !ELSEWHERE.includes(number))
  .map((number) => `I-${padded(number)}`);

/** Of the specification of kubelet and runners: what the original's tests of its controller pin, and the incidents with R. */
const RUNNER_BEHAVIOURS = count(1, 16).map((number) => `§9.8-${number}`);
const RUNNER_INCIDENTS = [9, 17, 19, 22, 32, 33, 37, 38, 41, 42, 45, 46, 47].map((number) => `§7-${number}`);

/** The words in titles of tests and in the stories of their rows. */
const findNames = async (files: readonly string[]): Promise<ReadonlySet<string>> => {
  const names = new Set<string>();
  for await (const file of glob(files)) {
    for (const [, ...quoted] of readFileSync(file, 'utf8').matchAll(TITLE)) {
      const title = quoted.join('');
      for (const [name] of title.matchAll(NAME)) if (!isOfRunners(name, title)) names.add(name);
    }
  }
  return names;
};

/** The incidents with runners have numbers like the rules of a Mac's life. */
const isOfRunners = (name: string, title: string): boolean => /^R/.test(name) && title.includes('of the runners');

/** A title that goes on over lines does so in a template; what stands after the closing quote is code. */
const TITLE =
  /(?:\b(?:it|test|describe|story|step)\(\s*|\bstory:\s*)(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;
const NAME = /\b(?:R\d{1,2}|[TI]-\d{2}|00[0-4]-\d)\b|§(?:7|9\.8)-\d{1,2}\b/g;

describe('a test names', async () => {
  const named = await findNames(['src/**/*.test.ts', 'src/**/testing/*.ts', 'test/**/*.ts']);
  const namedThere = await findNames(['test/cluster/**/*.ts']);
  const missing = (ids: readonly string[], names = named): readonly string[] => ids.filter((id) => !names.has(id));

  it('every row of the mission', () => assert.deepEqual(missing(ROWS), []));
  it('every row that is to hold on a real cluster, where tests run on one', () =>
    assert.deepEqual(missing(ON_A_CLUSTER, namedThere), []));
  it('every rule of a Mac’s life', () => assert.deepEqual(missing(RULES), []));
  it('every behaviour that is kept from the Go original', () => assert.deepEqual(missing(BEHAVIOURS), []));
  it('every incident that is no step on a Mac', () => assert.deepEqual(missing(INCIDENTS), []));
  it('every behaviour of runners that is kept', () => assert.deepEqual(missing(RUNNER_BEHAVIOURS), []));
  it('every incident with runners', () => assert.deepEqual(missing(RUNNER_INCIDENTS), []));
});
