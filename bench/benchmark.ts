/**
 * What a benchmark is. To add one: a file in benchmarks/ that exports a Benchmark, and a line in benchmarks.ts.
 *
 * Each side runs in a fresh process, so that heap, imports and sockets are its own. A benchmark's file is read by both
 * of them: it imports what it measures inside its sides (`await import`), never at its top.
 */
import type { ApiAddress, ApiLoad } from './api-server/address.ts';

export type SideName = 'ours' | 'peer';

/** What one process measured: a number for each figure. */
export type Sample = Readonly<Record<string, number>>;

export interface Goal {
  readonly of: 'ratio' | 'ours';
  readonly is: '<=' | '>=' | '=';
  readonly value: number;
}

export interface Figure {
  /** Ends in its unit: `heap, MB`. */
  readonly name: string;
  /** Without one the figure is only reported. */
  readonly goal?: Goal;
}

interface About {
  /** Kebab-case. */
  readonly id: string;
  /** One line for `--list`. */
  readonly about: string;
  readonly figures: readonly Figure[];
}

/** Both sides talk to one API server, which is a process of its own. */
interface AgainstApi {
  readonly load: ApiLoad;
  readonly ours: (api: ApiAddress) => Promise<Sample>;
  /** Absent where there is nobody to compare with. */
  readonly peer?: (api: ApiAddress) => Promise<Sample>;
}

interface Alone {
  readonly load?: undefined;
  readonly ours: () => Promise<Sample>;
  readonly peer?: () => Promise<Sample>;
}

export type Benchmark = About & (AgainstApi | Alone);
