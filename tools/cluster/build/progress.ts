/** Lines that tell a person, or the log of CI, how far a build of many minutes is. */
import { renderDuration } from '../../../src/base/duration.ts';
import type { GoProgress } from './go.ts';

export interface Progress {
  readonly onProgress: (progress: GoProgress) => void;
  /** Says how long it took and how large it became. */
  done(bytes: number): void;
  stop(): void;
}

export interface ProgressOptions {
  /** What is being made, and where in the row it stands: `[3/8] kubectl`. */
  readonly label: string;
  readonly everyMs: number;
  readonly print: (text: string) => void;
}

const KIBIBYTE = 2 ** 10;
const MEBIBYTE = 2 ** 20;

/** Prints a line at once, then one every `everyMs` until stopped. */
export const startProgress = ({ label, everyMs, print }: ProgressOptions): Progress => {
  const startedAt = performance.now();
  let latest: GoProgress = { packagesCompiled: 0, modulesDownloaded: 0 };
  const elapsed = (): string => renderDuration(Math.round((performance.now() - startedAt) / 1_000) * 1_000);
  const tell = (): void => print(`${label}: ${[elapsed(), ...renderCounts(latest)].join(', ')}\n`);
  print(`${label} …\n`);
  const timer = setInterval(tell, everyMs);
  return {
    onProgress: (progress) => {
      latest = progress;
    },
    done: (bytes) => print(`${label}: done in ${elapsed()}, ${renderBytes(bytes)}\n`),
    stop: () => clearInterval(timer),
  };
};

const renderCounts = ({ packagesCompiled, modulesDownloaded }: GoProgress): readonly string[] => [
  ...(modulesDownloaded > 0 ? [`${modulesDownloaded} modules downloaded`] : []),
  ...(packagesCompiled > 0 ? [`${packagesCompiled} packages compiled`] : []),
];

const renderBytes = (bytes: number): string =>
  bytes < MEBIBYTE ? `${Math.ceil(bytes / KIBIBYTE)} KiB` : `${Math.round(bytes / MEBIBYTE)} MiB`;
