/** What is asked of the agent and what it answers, whatever carries it. */

export interface ApiRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Aborted when whoever asked is gone. */
  readonly signal: AbortSignal;
}

export interface ApiResponse {
  readonly status: number;
  readonly contentType: string;
  /** Text, or chunks as they come. */
  readonly body: string | AsyncIterable<Uint8Array>;
}

export const text = (status: number, message: string): ApiResponse => ({
  ...{ status, contentType: 'text/plain; charset=utf-8' },
  body: `${message}\n`,
});

export const json = (value: unknown): ApiResponse => ({
  ...{ status: 200, contentType: 'application/json' },
  body: JSON.stringify(value),
});
