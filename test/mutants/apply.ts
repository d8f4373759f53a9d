/** Puts the edits of a mutant into the text of a module. An edit that does not apply exactly once is an error: the code moved on. */
import { FleetError } from '../../src/base/errors.ts';
import type { Edit } from './mutant.ts';

export const applyEdits = (source: string, edits: readonly Edit[]): string => edits.reduce(applyEdit, source);

const applyEdit = (source: string, { file, from, to }: Edit): string => {
  const places = source.split(from).length - 1;
  if (places === 1) return source.replace(from, () => to);
  throw new FleetError('invalid', {
    code: 'MutantDoesNotApply',
    message: `the text of the mutant stands ${places} times in ${file}: ${from}`,
    hint: 'Bring the edit in step with the code; it must stand there exactly once.',
  });
};
