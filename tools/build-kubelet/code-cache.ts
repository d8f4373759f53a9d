/**
 * Compiled code on the disk of a Mac, between two starts of the agent. The engine asks little of what it is given (a length and a
 * version) and dies of code that is damaged; so a file is used only if it is, to the byte, what was kept for this very source.
 */
import { hash } from 'node:crypto';
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const SUM_BYTES = 32;

/** The code that was kept for this source; undefined when there is none that can be trusted. */
export const readCode = (path: string, source: string): Buffer | undefined => {
  const file = readOptional(path);
  if (file === undefined || file.length <= SUM_BYTES) return undefined;
  const code = file.subarray(SUM_BYTES);
  return sumOf(code, source).equals(file.subarray(0, SUM_BYTES)) ? code : undefined;
};

/** Whole or not at all; only its owner reads and writes it. */
export const keepCode = (path: string, source: string, code: Buffer): void => {
  writeFileSync(`${path}.new`, sumOf(code, source), { mode: 0o600 });
  appendFileSync(`${path}.new`, code);
  renameSync(`${path}.new`, path);
};

const sumOf = (code: Buffer, source: string): Buffer =>
  hash('sha256', Buffer.concat([hash('sha256', source, 'buffer'), hash('sha256', code, 'buffer')]), 'buffer');

const readOptional = (path: string): Buffer | undefined => {
  try {
    return readFileSync(path);
  } catch {
    // Missing, unreadable, a folder: whatever it is, starting without it takes longer and is otherwise the same.
    return undefined;
  }
};
