/** One fault that is switched on: which calls it meets, how often, and what they get instead. */
import type { WireRefusal } from './refusals.ts';

/** What stands in place of the ordinary answer, or is done to it. */
export type FaultAnswer =
  | { readonly do: 'refuse'; readonly wire: WireRefusal }
  /** The connection breaks: no answer at all. */
  | { readonly do: 'lose' }
  /** The answer comes that much later, in real time. */
  | { readonly do: 'delay'; readonly delayMs: number }
  | { readonly do: 'change-rows'; readonly how: 'empty' | 'drop-one' | 'repeat-one' }
  /** In the answer about a server, and in every row of a list. */
  | { readonly do: 'change-server'; readonly fields: Readonly<Record<string, unknown>> };

export interface FaultScope {
  /** The verb of the route, such as `list` or `rename`; every one when absent. */
  readonly verb?: string;
  readonly serverId?: string;
  /** Before: the request has no effect. */
  readonly when?: 'before' | 'after';
  /** For so many calls; for ever when absent. */
  readonly count?: number;
  readonly probability?: number;
}

export interface FaultSwitch extends FaultScope {
  readonly id: string;
  readonly answer: FaultAnswer;
  left: number;
}
