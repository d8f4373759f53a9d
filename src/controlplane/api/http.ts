/** What goes in and out of the API: plain data, so that it runs in-process, on the simulation and over HTTPS alike. */
import type { User } from '../auth/user.ts';

/** The server's end of a stream. After the other end is gone, nothing it does has an effect. */
export interface ByteSink {
  push(chunk: Uint8Array): void;
  /** Settles when there is room for more, or nobody reads any longer. Who can wait asks it after each push. */
  room?(): Promise<void>;
  end(): void;
  /** The reader sees a broken connection after what was pushed. */
  fail(why: string): void;
}

export interface ApiRequest {
  readonly method: string;
  /** Path and query, encoded. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly user: User;
}

export interface ApiResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body, or a function that starts pushing it and returns how to stop. */
  readonly body: string | ((sink: ByteSink) => () => void);
  /** The answer once somebody else has been asked, for whoever can wait; the one above is for whoever cannot. Never rejects. */
  readonly later?: () => Promise<ApiResponse>;
}

const JSON_HEADERS = { 'content-type': 'application/json' } as const;

export const reply = (status: number, body: unknown): ApiResponse => replyJson(status, JSON.stringify(body));

/** For bodies that are encoded already. */
export const replyJson = (status: number, json: string): ApiResponse => ({ status, headers: JSON_HEADERS, body: json });

/** The answer, now or later, with further headers. */
export const withHeaders = (response: ApiResponse, headers: ApiResponse['headers']): ApiResponse => {
  const { later } = response;
  const added = { ...response, headers: { ...response.headers, ...headers } };
  return later === undefined ? added : { ...added, later: async () => withHeaders(await later(), headers) };
};

/** The answer with what the server wants to tell the client besides, as `kubectl` prints it. */
export const withWarnings = (response: ApiResponse, warnings: readonly string[]): ApiResponse => {
  if (warnings.length === 0) return response;
  const unique = [...new Set(warnings)];
  const warning = unique
    .map((text) => `299 - "${text.replaceAll(/[^\x20-\x7e]/g, '?').replaceAll(/["\\]/g, '\\$&')}"`)
    .join(', ');
  return { ...response, headers: { ...response.headers, warning } };
};

export const replyText = (status: number, text: string): ApiResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: text,
});
