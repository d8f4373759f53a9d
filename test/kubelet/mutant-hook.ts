/** Preloaded into a process (`node --import`) with KUBELET_MUTANT set: modules are loaded as the mutant has them. */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { applyEdits } from '../mutants/apply.ts';
import { KUBELET_MUTANTS } from './mutants.ts';

const ROOT = new URL('../../', import.meta.url);
const urlOf = (file: string): string => pathToFileURL(new URL(file, ROOT).pathname).href;
const mutant = KUBELET_MUTANTS.find(({ id }) => id === process.env['KUBELET_MUTANT']);

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    const own = mutant?.edits.filter(({ file }) => urlOf(file) === url) ?? [];
    return own.length === 0 ? loaded : { ...loaded, source: applyEdits(String(loaded.source), own) };
  },
});
