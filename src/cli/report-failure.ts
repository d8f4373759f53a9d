/** How what a program throws ends it: for `macfleet`, and for every other program of this project. */
import { ERROR_BEHAVIOUR, toFleetError } from '../base/errors.ts';
import type { CliIo } from './io.ts';
import { isReaderGone, READER_GONE_EXIT } from './reader-gone.ts';
import { renderError } from './render-error.ts';

/** Says on stderr what was thrown, and returns the exit code that its kind has. Whoever stopped reading is told nothing. */
export const reportFailure = (
  { args, io }: { readonly args: readonly string[]; readonly io: Pick<CliIo, 'stderr' | 'signal'> },
  thrown: unknown,
): number => {
  const error = toFleetError(thrown);
  if (error.kind === 'cancelled' && isReaderGone(io.signal)) return READER_GONE_EXIT;
  io.stderr(renderError(error, { detail: args.includes('--debug') ? 'stack' : 'short' }));
  return ERROR_BEHAVIOUR[error.kind].exitCode;
};
