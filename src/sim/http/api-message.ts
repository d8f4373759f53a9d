/** One whole HTTP request to a simulator, and one whole answer, whoever carries them. */

export interface ApiRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For the audit. */
  readonly caller: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whoever carries it holds it back for so long. */
  readonly delayMs?: number;
}
