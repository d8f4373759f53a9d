/** What is asked of the agent and what it answers, whatever carries it. */

/** What is asked for, read once: who judges a question and who answers it must mean the same page. */
export interface Target {
  readonly pathname: string;
  readonly query: URLSearchParams;
}

export interface ApiRequest extends Target {
  readonly method: string;
  /** Aborted when whoever asked is gone. */
  readonly signal: AbortSignal;
}

export interface ApiResponse {
  readonly status: number;
  readonly contentType: string;
  /** Text, or chunks as they come. */
  readonly body: string | AsyncIterable<Uint8Array>;
}

/**
 * Undefined for a path that can be read in two ways: `..` and `%2e%2e` that climb, two slashes in front, backslashes, a whole address.
 * No client of a kubelet writes one.
 */
export const parseTarget = (line: string): Target | undefined => {
  const [written] = line.split('?', 1);
  const url = URL.parse(line, 'https://node');
  if (url === null || url.pathname !== written) return undefined;
  return { pathname: url.pathname, query: url.searchParams };
};

export const text = (status: number, message: string): ApiResponse => ({
  ...{ status, contentType: 'text/plain; charset=utf-8' },
  body: `${message}\n`,
});

export const json = (value: unknown): ApiResponse => ({
  ...{ status: 200, contentType: 'application/json' },
  body: JSON.stringify(value),
});
