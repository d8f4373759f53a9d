/**
 * What may go wrong between two actors, as plain data: per site (a kind of call, "kube:PATCH") its latency and the
 * probability of each fault. `describeNetwork` gives every resolved number, for the first line of a run.
 */
import type { ChoiceSite, Choices } from './choices.ts';

export const CALL_FAULTS = [
  /** The request never arrives; the caller sees `unavailable`. */
  'fail-before',
  /** The effect happens, the answer is lost; the caller sees `unavailable`. */
  'fail-after',
  /** The effect happens `lateMs` later than usual: after most callers have given up. */
  'late-effect',
  /** The effect happens in time, the answer comes `lateMs` later. */
  'late-answer',
  /** The effect happens twice; the second answer goes nowhere. */
  'duplicate',
] as const;

export const STREAM_FAULTS = [
  /** The connection breaks somewhere inside this chunk; the reader sees `unavailable`. */
  'cut',
  /** Nothing arrives for `lateMs`, without a word. */
  'freeze',
  /** The chunk arrives in two pieces. */
  'split',
] as const;

export type CallFault = (typeof CALL_FAULTS)[number];
export type StreamFault = (typeof STREAM_FAULTS)[number];
export type Fault = CallFault | StreamFault;

export interface SiteOptions {
  /** One way, uniform between the two, in whole milliseconds. */
  readonly minLatencyMs: number;
  readonly maxLatencyMs: number;
  readonly lateMs: number;
  /** Probability that a request still takes effect although its caller was killed or gave up before it arrived. */
  readonly landing: number;
  /** Probability of each fault per call or chunk; together at most 1. Absent means never. */
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
}

export interface NetworkOptions {
  readonly default?: Partial<SiteOptions>;
  /** By site or by what precedes a colon in it: "kube" covers "kube:PATCH". The longest name wins, then `default`. */
  readonly sites?: Readonly<Record<string, Partial<SiteOptions>>>;
}

const CALM: SiteOptions = { minLatencyMs: 1, maxLatencyMs: 10, lateMs: 120_000, landing: 0.5, faults: {} };

/** A site of one run: its options, and the places where its decisions are drawn. */
export interface Site {
  readonly name: string;
  readonly lateMs: number;
  latencyMs(): number;
  callFault(): CallFault | undefined;
  streamFault(): StreamFault | undefined;
  /** Whether a request without a caller takes effect. */
  lands(): boolean;
  /** Where a chunk of so many bytes breaks. */
  breakAt(bytes: number): number;
}

export interface Network {
  /** As this actor meets it: its decisions are drawn and recorded apart from those of others. */
  site(name: string, actor: string): Site;
}

/** `areFaultsOn` is asked at every decision; while it says no, nothing is drawn at all. */
export const createNetwork = (
  options: NetworkOptions,
  deps: { readonly choices: Choices; readonly areFaultsOn: () => boolean },
): Network => {
  const sites = new Map<string, Site>();
  const open = (name: string, caller: string): Site => {
    const { minLatencyMs, maxLatencyMs, lateMs, landing, faults } = resolveSite(options, name);
    const latency = deps.choices.site(`latency ${caller}`);
    const land = deps.choices.site(`land ${caller}`);
    const fault = deps.choices.site(`fault ${caller}`);
    const cut = deps.choices.site(`break ${caller}`);
    const drawFault = <F extends Fault>(kinds: readonly F[]): (() => F | undefined) => {
      const weights = kinds.map((kind) => faults[kind] ?? 0);
      return () => (deps.areFaultsOn() ? kinds[fault.weigh(weights) - 1] : undefined);
    };
    return {
      name,
      lateMs,
      latencyMs: () => minLatencyMs + pickUpTo(latency, maxLatencyMs - minLatencyMs),
      callFault: drawFault(CALL_FAULTS),
      streamFault: drawFault(STREAM_FAULTS),
      lands: () => land.weigh([landing]) === 1,
      breakAt: (bytes) => pickUpTo(cut, bytes),
    };
  };
  return {
    site: (name, actor) => {
      const caller = `${name} by ${roleOf(actor)}`;
      const known = sites.get(caller) ?? open(name, caller);
      sites.set(caller, known);
      return known;
    },
  };
};

/** `node` for `node m-1 …`: names of actors may hold what is drawn, and recorded decisions must find their place again. */
const roleOf = (actor: string): string => actor.split(' ')[0] ?? actor;

const pickUpTo = (site: ChoiceSite, most: number): number => (most > 0 ? site.pick(most + 1) : 0);

const resolveSite = (options: NetworkOptions, name: string): SiteOptions => {
  const covering = Object.keys(options.sites ?? {})
    .filter((key) => name === key || name.startsWith(`${key}:`))
    .sort((left, right) => right.length - left.length)[0];
  const own = covering === undefined ? undefined : options.sites?.[covering];
  const faults = { ...CALM.faults, ...options.default?.faults, ...own?.faults };
  return { ...CALM, ...options.default, ...own, faults };
};

/** Every number in force: the default and each named site, all fault kinds spelled out. */
export const describeNetwork = (options: NetworkOptions): Readonly<Record<string, SiteOptions>> =>
  Object.fromEntries(
    ['default', ...Object.keys(options.sites ?? {})].map((name) => {
      const site = resolveSite(options, name);
      const faults = Object.fromEntries(
        [...CALL_FAULTS, ...STREAM_FAULTS].map((kind) => [kind, site.faults[kind] ?? 0]),
      );
      return [name, { ...site, faults }];
    }),
  );
