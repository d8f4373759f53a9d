/** Adapter: the identity of a Mac in a file that only its owner reads (node:fs), replaced whole or not at all. */
import { open, readFile, rename } from 'node:fs/promises';
import { Secret } from '../../base/secret.ts';
import type { IdentityDisk } from './node-identity.ts';

export const createIdentityFile = (path: string): IdentityDisk => ({
  read: async () => {
    try {
      return new Secret(await readFile(path, 'utf8'));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  },
  write: async (text) => {
    const file = await open(`${path}.new`, 'w', 0o600);
    try {
      await file.writeFile(text.reveal());
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
  },
});
