/** No key and no token is in the repository. One that was there once is to be revoked, not removed. */
import { findSecrets } from '../../secrets/find-secrets.ts';
import { lineAt, type Rule } from '../tree.ts';

export const noSecrets: Rule = {
  name: 'no-secrets',
  check: ({ files }) =>
    files.flatMap(({ path, text }) =>
      findSecrets(text).map(({ what, index }) => ({
        path,
        line: lineAt(text, index),
        message: `holds ${what}; revoke it, and use one that is made up`,
      })),
    ),
};
