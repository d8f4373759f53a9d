/** Adapter: GitHub's API over real sockets, by undici. Each request has a deadline, and an answer is read up to a bound. */
import request from 'undici/lib/api/api-request.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import type { SendToGitHub } from './github-api.ts';

const TIMEOUT_MS = 15_000;
const BODY_BYTES_MAX = 64 * 1024;

export interface HttpToGitHub {
  readonly send: SendToGitHub;
  close(): Promise<void>;
}

export const createHttpToGitHub = (): HttpToGitHub => {
  const dispatcher = new Agent({
    connect: { timeout: TIMEOUT_MS },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    maxResponseSize: BODY_BYTES_MAX,
  });
  return {
    send: async (url, { headers, signal }) => {
      const { origin, pathname, search } = new URL(url);
      const options = { origin, path: `${pathname}${search}`, method: 'POST', headers, signal } as const;
      const { statusCode: status, body } = await request.call(dispatcher, options);
      const text = await body.text();
      return { status, text: async () => text };
    },
    close: () => dispatcher.close(),
  };
};
