/** Adapter: the files that a person names, the fleet's key and the passwords. */
import { readFileSync } from 'node:fs';
import { FleetError, messageOf } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';

export const readSecretFile = (path: string, what: string): Secret<string> => {
  try {
    return new Secret(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new FleetError('invalid', {
      code: 'FileUnreadable',
      message: `${what} cannot be read: ${messageOf(error)}`,
      hint: 'Check the path and its rights.',
      details: { path },
    });
  }
};
