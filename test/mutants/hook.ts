/** Preloaded into a process (`node --import`) with MACFLEET_MUTANT set: modules are loaded as the mutant has them. */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { FleetError } from '../../src/base/errors.ts';
import { applyEdits } from './apply.ts';
import { MUTANTS } from './mutants.ts';

const ROOT = new URL('../../', import.meta.url);

const findMutant = (id: string) => {
  const found = MUTANTS.find((mutant) => mutant.id === id);
  if (found !== undefined) return found;
  throw new FleetError('invalid', {
    code: 'UnknownMutant',
    message: `there is no mutant ${id}`,
    hint: `One of: ${MUTANTS.map((mutant) => mutant.id).join(', ')}.`,
  });
};

const id = process.env['MACFLEET_MUTANT'];
if (id !== undefined) {
  const { edits } = findMutant(id);
  const urlOf = (file: string): string => pathToFileURL(new URL(file, ROOT).pathname).href;
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      const own = edits.filter(({ file }) => urlOf(file) === url);
      if (own.length === 0) return loaded;
      return { ...loaded, source: applyEdits(String(loaded.source), own) };
    },
  });
}
