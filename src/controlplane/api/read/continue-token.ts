/** Where a list in pages goes on: of which moment it is, and after which key. */
import { isRecord } from '../../../base/json.ts';
import { badRequest } from '../refusal.ts';

export interface ContinueToken {
  /** Undefined: of whatever is there now, because the moment of the first page is forgotten. */
  readonly revision: number | undefined;
  readonly after: string;
}

const FORMAT = 'meta.k8s.io/v1';

export const renderToken = ({ revision, after }: ContinueToken): string =>
  Buffer.from(JSON.stringify({ v: FORMAT, rv: revision ?? -1, start: after })).toString('base64url');

export const parseToken = (text: string): ContinueToken => {
  const { v, rv, start } = readJson(Buffer.from(text, 'base64url').toString('utf8'));
  if (v !== FORMAT || !Number.isSafeInteger(rv) || typeof start !== 'string') {
    throw badRequest('invalid continue token: continue key is not valid');
  }
  return { revision: Number(rv) < 0 ? undefined : Number(rv), after: start };
};

const readJson = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    throw badRequest('invalid continue token: continue key is not valid: it is no JSON');
  }
};
