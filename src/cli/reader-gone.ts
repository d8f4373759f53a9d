/** Nobody reads stdout any more, as behind `… | head`: the work stops, and nothing is said about it, as other programs do. */
import { FleetError } from '../base/errors.ts';

const CODE = 'ReaderGone';

/** 128 and the number of SIGPIPE: what a shell tells of a program that was ended by it. */
export const READER_GONE_EXIT = 141;

export const readerGone = (): FleetError =>
  new FleetError('cancelled', {
    code: CODE,
    message: 'nobody reads what is said any more',
    hint: 'Let the program behind the pipe read to the end.',
  });

export const isReaderGone = (signal: AbortSignal): boolean =>
  signal.aborted && signal.reason instanceof FleetError && signal.reason.code === CODE;
