/** Deletes bootstrap tokens at the time that they name as their end. */
import { parseTimestamp } from '../../../base/clock.ts';
import type { Cache } from '../../../kube/cache/cache.ts';
import { type Controller, createController, watchPrimary } from '../../../kube/controller/controller.ts';
import { SECRETS, type Secret } from '../../../kube/types/core.ts';
import { keyOf } from '../../../kube/types/meta.ts';

/** What the cache of tokens is to follow. */
export const TOKEN_SELECTION = {
  namespace: 'kube-system',
  fieldSelector: 'type=bootstrap.kubernetes.io/token',
} as const;

/** Of a token only its end is read, so that no cache holds its secret half. */
export const keepExpiration = ({ metadata, type, data }: Secret): Secret => {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  const expiration = data?.['expiration'];
  return {
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    ...(type !== undefined && { type }),
    ...(expiration !== undefined && { data: { expiration } }),
  };
};

export const createTokenCleaner = ({ tokens }: { readonly tokens: Cache<Secret> }): Controller =>
  createController({
    name: 'token-cleaner',
    watches: [watchPrimary(tokens)],
    reconcile: async ({ key, kube, clock, signal }) => {
      const token = tokens.get(key);
      const endMs = token === undefined ? undefined : expirationMs(token);
      if (token === undefined || endMs === undefined) return { next: 'rest' };
      const leftMs = endMs - clock.now();
      if (leftMs > 0) return { next: 'again', afterMs: leftMs };
      const { uid = '' } = token.metadata;
      await kube.delete(SECRETS, keyOf(token), { preconditions: { uid }, signal });
      return { next: 'rest' };
    },
  });

/** A token without an end, or with one that cannot be read, is for people to look at. */
const expirationMs = ({ data }: Secret): number | undefined =>
  parseTimestamp(Buffer.from(data?.['expiration'] ?? '', 'base64').toString());
