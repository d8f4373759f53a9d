/**
 * What a conformance case is: requests as data, each with what the API must answer, written once and judged on every
 * server. `~/` in a path is the case's own namespace in the core group, `~apps/v1/` the same in another group; `<ns>` is
 * that namespace's name, and `<other>` what an earlier step kept under that name.
 */

export type Area =
  | 'discovery'
  | 'verbs'
  | 'patch'
  | 'watch'
  | 'lists'
  | 'validation'
  | 'custom kinds'
  | 'subresources'
  | 'access'
  | 'errors';

export interface Person {
  readonly name: string;
  readonly groups?: readonly string[];
}

/** The administrator by default. A text is the name of a user without groups. */
export type Who = Person | string;

export const NOBODY = 'system:anonymous';

export type PatchType = 'merge' | 'json' | 'strategic' | 'apply';

export interface Expected {
  readonly status?: number;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, unknown>>;
  /** Partial: what is not named may be anything. Matchers of match.ts may stand anywhere. */
  readonly body?: unknown;
}

export interface RequestStep {
  /** `GET ~/pods/a`; with a space between method and path. */
  readonly ask: string;
  /** Sent as JSON; a text as it is. */
  readonly send?: unknown;
  readonly patch?: PatchType;
  readonly as?: Who;
  /** A bearer token instead of a certificate. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly expect: Expected;
  /** Name → where in the answer's body, as dotted names. */
  readonly keep?: Readonly<Record<string, string>>;
  /** Asked again until it is as expected, for what the server does in its own time. */
  readonly is?: 'eventual';
}

export interface WatchStep {
  readonly watch: string;
  readonly as?: Who;
  readonly headers?: Readonly<Record<string, string>>;
  /** Done while the watch is open. */
  readonly meanwhile?: readonly RequestStep[];
  /** The first lines, in order. */
  readonly lines: readonly unknown[];
  /** The server must end the stream after these lines. */
  readonly ends?: 'by itself';
}

export type Step = RequestStep | WatchStep;

export interface ConformanceCase {
  /** A DNS label: the case's namespace carries it too. */
  readonly id: string;
  readonly area: Area;
  /** Where the Kubernetes documentation says so. */
  readonly clause: string;
  /** Made by the administrator before the steps. */
  readonly given?: readonly object[];
  readonly steps: readonly Step[];
  /** On a server that forgets old versions within seconds. */
  readonly on?: 'forgetful';
}

/** Cases of one chapter share area and clause. */
export const chapter = (
  area: Area,
  clause: string,
  cases: readonly Omit<ConformanceCase, 'area' | 'clause'>[],
): readonly ConformanceCase[] => cases.map((row) => ({ ...row, area, clause: `${clause}` }));

export const isWatch = (step: Step): step is WatchStep => 'watch' in step;
