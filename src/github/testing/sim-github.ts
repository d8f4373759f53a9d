/** A small GitHub: one App, one installation, one organisation, and the answers that the real one gives to others. */
import { createPublicKey, createVerify } from 'node:crypto';
import { isRecord } from '../../base/json.ts';
import type { SendToGitHub } from '../github-api.ts';

export interface SimGitHub {
  readonly send: SendToGitHub;
  /** What it was asked, in order. */
  readonly asked: readonly string[];
}

export interface SimGitHubOptions {
  readonly appId: string;
  readonly installationId: string;
  readonly organisation: string;
  /** PEM. */
  readonly publicKey: string;
  readonly nowMs: () => number;
}

export const createSimGitHub = (options: SimGitHubOptions): SimGitHub => {
  const asked: string[] = [];
  let issued = 0;
  const answer = (status: number, body: object) => ({ status, text: async () => JSON.stringify(body) });
  const send: SendToGitHub = async (url, { method, headers }) => {
    const { pathname } = new URL(url);
    asked.push(`${method} ${pathname}`);
    const bearer = headers['authorization']?.replace(/^Bearer /, '') ?? '';
    if (pathname === `/app/installations/${options.installationId}/access_tokens`) {
      if (!isAppJwt(options, bearer)) return answer(401, { message: 'A JSON web token could not be decoded' });
      return answer(201, { token: 'ghs_installation' });
    }
    if (pathname === `/orgs/${options.organisation}/actions/runners/registration-token`) {
      if (bearer !== 'ghs_installation') return answer(401, { message: 'Bad credentials' });
      issued += 1;
      return answer(201, { token: `registration-${issued}` });
    }
    return answer(404, { message: 'Not Found' });
  };
  return { send, asked };
};

/** Signed by the App, from the past, and not for longer than ten minutes. */
const isAppJwt = ({ appId, publicKey, nowMs }: SimGitHubOptions, jwt: string): boolean => {
  const [header = '', claims = '', signature = ''] = jwt.split('.');
  const isSigned = createVerify('RSA-SHA256')
    .update(`${header}.${claims}`)
    .verify(createPublicKey(publicKey), Buffer.from(signature, 'base64url'));
  const read: unknown = JSON.parse(Buffer.from(claims || 'e30', 'base64url').toString());
  if (!isSigned || !isRecord(read)) return false;
  const [iat, exp] = [Number(read['iat']), Number(read['exp'])];
  const now = nowMs() / 1_000;
  return read['iss'] === appId && iat <= now && exp > now && exp - iat <= 600;
};
