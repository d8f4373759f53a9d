/** GitHub's REST API, as far as we need it: the App's token for its installation, and with that the runner's. */
import type { Clock } from '../base/clock.ts';
import { type ErrorKind, FleetError } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import { Secret } from '../base/secret.ts';
import { signAppJwt } from './app-jwt.ts';
import type { GitHub } from './port.ts';

/** How a request gets there: what Node calls fetch, or something that stands in for it. */
export type SendToGitHub = (
  url: string,
  init: { readonly method: string; readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
) => Promise<{ readonly status: number; text(): Promise<string> }>;

export interface GitHubDeps {
  readonly send: SendToGitHub;
  readonly clock: Clock;
  /** `https://api.github.com` unless given. */
  readonly server?: string;
}

const HEADERS = {
  accept: 'application/vnd.github+json',
  'x-github-api-version': '2022-11-28',
  'user-agent': 'macfleet',
};
const TEXT_MAX = 500;

export const createGitHub = ({ send, clock, server = 'https://api.github.com' }: GitHubDeps): GitHub => {
  const post = async (path: string, bearer: Secret<string>, signal: AbortSignal): Promise<Secret<string>> => {
    const headers = { ...HEADERS, authorization: `Bearer ${bearer.reveal()}` };
    const answer = await send(`${server}${path}`, { method: 'POST', headers, signal }).catch((cause: unknown) => {
      throw unreachableGitHub(path, cause);
    });
    const text = await answer.text();
    if (answer.status !== 201) throw refusedBy(path, answer.status, text);
    return new Secret(tokenIn(path, text));
  };
  return {
    registrationToken: async (app, organisation, signal) => {
      const jwt = signAppJwt(app, clock.now());
      const installation = encodeURIComponent(app.installationId);
      const forInstallation = await post(`/app/installations/${installation}/access_tokens`, jwt, signal);
      const org = encodeURIComponent(organisation);
      return post(`/orgs/${org}/actions/runners/registration-token`, forInstallation, signal);
    },
  };
};

const KINDS: Readonly<Record<number, ErrorKind>> = {
  401: 'denied',
  403: 'denied',
  404: 'not-found',
  422: 'invalid',
  429: 'throttled',
};

const refusedBy = (path: string, status: number, text: string): FleetError =>
  new FleetError(KINDS[status] ?? (status >= 500 ? 'unavailable' : 'contract'), {
    code: 'GitHubRefused',
    message: `GitHub answered ${status} to ${path}: ${text.slice(0, TEXT_MAX)}`,
    hint: 'The App needs the right to administer runners of the organisation, and must be installed there.',
    details: { status },
  });

const unreachableGitHub = (path: string, cause: unknown): FleetError =>
  new FleetError('unavailable', { code: 'GitHubUnreachable', message: `GitHub did not answer to ${path}`, cause });

const tokenIn = (path: string, text: string): string => {
  const answer = parseJson(text);
  const token = isRecord(answer) ? answer['token'] : undefined;
  if (typeof token === 'string' && token !== '') return token;
  throw new FleetError('contract', { code: 'GitHubNoToken', message: `GitHub's answer to ${path} holds no token` });
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
