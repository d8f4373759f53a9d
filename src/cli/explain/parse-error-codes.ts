/** The file that `npm run generate` writes. It is ours, and checked to be fresh. */
import type { ErrorCode } from './error-code.ts';

export const parseErrorCodes = (file: unknown): readonly ErrorCode[] => {
  return file as readonly ErrorCode[];
};
