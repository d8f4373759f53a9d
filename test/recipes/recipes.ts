/** Recipes, read from the page that they stand on; those of docs/operating.md are run on a simulated world. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FleetWorld } from '../../src/world/fleet-world.ts';
import { pass } from '../../src/world/testing/fleet-run.ts';
import { createKubectl } from './kubectl.ts';
import { prepareFleetHost } from './prepare-fleet-host.ts';
import { runLine, type Variables } from './shell.ts';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');
const RECIPE = /<!-- recipe: ([a-z-]+) -->\n```sh\n(.*?)```/gs;
const BLOCK = /^```sh$/gm;

/** The lines of each recipe, by its id. Throws when a block of commands has no id, or two have the same. */
export const readRecipes = (file = 'operating.md'): ReadonlyMap<string, readonly string[]> => {
  const page = readFileSync(join(DOCS, file), 'utf8');
  const found = [...page.matchAll(RECIPE)].map(([, id = '', block = '']) => [id, block.trim().split('\n')] as const);
  const recipes = new Map(found);
  if (recipes.size !== [...page.matchAll(BLOCK)].length) throw new Error('a block of commands has no id of its own');
  return recipes;
};

/** The page's own words, as a person would type them; returns what the variables are in the end. */
export const runRecipe = async (
  world: FleetWorld,
  id: string,
  given: Readonly<Record<string, string>>,
): Promise<Variables> => {
  const variables: Variables = new Map(Object.entries(given));
  const kubectl = createKubectl(world);
  const run = async ([program, ...args]: readonly string[]): Promise<string> => {
    if (program === 'uuidgen') return '6b1f0a52-7c3e-4d28-9a41-52c0de5e1f77';
    if (program === 'sleep') return letPass(world, args);
    if (program === 'macfleet') return prepareFleetHost(world, args);
    if (program !== 'kubectl') throw new Error(`no recipe may use ${program}`);
    return kubectl(args);
  };
  for (const line of readRecipes().get(id) ?? missing(id)) {
    try {
      await runLine(line, variables, run);
    } catch (error) {
      throw new Error(`recipe ${id}, at: ${line}`, { cause: error });
    }
  }
  return variables;
};

const letPass = async (world: FleetWorld, [seconds = '']: readonly string[]): Promise<string> => {
  if (!/^\d+$/.test(seconds)) throw new Error(`sleep ${seconds}: no number of seconds`);
  await pass(world, Number(seconds) * 1_000);
  return '';
};

const missing = (id: string): never => {
  throw new Error(`docs/operating.md has no recipe ${id}`);
};
