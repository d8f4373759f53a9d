/** Adapter: the YAML file in which a simulated cloud is kept. Replaced whole or not at all. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { FleetError, messageOf } from '../../base/errors.ts';

/** Undefined when there is none yet. */
export const readStateFile = (path: string): string | undefined => {
  try {
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  } catch (cause) {
    throw unusable(path, 'read', cause);
  }
};

export const writeStateFile = (path: string, text: string): void => {
  try {
    writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  } catch (cause) {
    throw unusable(path, 'written', cause);
  }
};

const unusable = (path: string, done: string, cause: unknown): FleetError =>
  new FleetError('invalid', {
    code: 'StateFileUnusable',
    message: `the state cannot be ${done} at ${path}: ${messageOf(cause)}`,
    hint: 'Name another file with --state.',
    cause,
  });
