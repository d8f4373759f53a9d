/** What a person sees of a fleet at one moment, as plain data: tables, lines and JSON are made of it. */

export interface MacRow {
  readonly mac: string;
  readonly fleet: string;
  readonly state: string;
  /** The step that is under way, and how many are done; empty when none is. */
  readonly step: string;
  /** Since when it is in its state; undefined when nobody said. */
  readonly sinceMs: number | undefined;
  /** Empty when it waits for nothing. */
  readonly waitsFor: string;
  readonly node: 'Ready' | 'NotReady' | '-';
  /** How many run on it. */
  readonly pods: number;
}

export interface PodRow {
  readonly pod: string;
  readonly state: string;
  readonly node: string;
  readonly sinceMs: number | undefined;
  readonly waitsFor: string;
}

/** A Deployment, a Job or a pool of runners. */
export interface WorkRow {
  readonly work: string;
  readonly ready: string;
}

/** A CI job that a runner gets. */
export interface JobRow {
  readonly job: string;
  readonly state: string;
  readonly runner: string;
  readonly waitedMs: number;
  /** Undefined while it has not begun. */
  readonly ranMs: number | undefined;
}

export interface FleetPicture {
  readonly atMs: number;
  readonly macs: readonly MacRow[];
  readonly work: readonly WorkRow[];
  readonly pods: readonly PodRow[];
  readonly jobs: readonly JobRow[];
}
