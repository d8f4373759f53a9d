/**
 * Keeps the log of every VM: copies what the guest writes into its status share (or what `tart run` printed, of one that wrote nothing) into one
 * log with times, bounded by rotation. A copy, because the share goes with the VM and belongs to a guest that nobody trusts. After a crash it goes on
 * where the log itself says that it stopped.
 */
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { HostFiles } from '../../host/host-files.ts';
import { copyNews, type OpenLog } from './copy-news.ts';
import { findEnd } from './find-end.ts';
import { NO_MARKS, type ReadMarks } from './log-line.ts';
import { logFolderOf, parseSegments, renderSegment, type Segment } from './log-segments.ts';

export interface LogKeeperOptions {
  readonly files: HostFiles;
  readonly clock: Clock;
  readonly logger: Logger;
  /** One folder per VM is made in it. */
  readonly logDirectory: string;
  /** What `tart run` of a VM prints. */
  readonly runLogOf: (vm: string) => string;
  /** What the guest of a VM writes, and the folder that it is in. */
  readonly guestLogOf: (vm: string) => { readonly directory: string; readonly path: string };
}

export interface LogKeeper {
  /** The VM is about to start, and nothing that it prints is there yet: a new run, the one before becomes the previous one. */
  begin(vm: string): Promise<void>;
  /** The VM runs already, from an earlier life of the agent. */
  resume(vm: string): Promise<void>;
  /** Copies what is left; nothing will come any more. */
  finish(vm: string): Promise<void>;
  /** Deletes the logs of a VM. */
  remove(vm: string): Promise<void>;
  /** Whether more may come. */
  isOpen(vm: string): boolean;
  /** Calls back after something was added, or the log was finished. */
  subscribe(vm: string, onNews: () => void): () => void;
  close(): void;
}

/** A change that nobody told of is found so much later. */
const LOOK_EVERY_MS = 1_000;

interface Following {
  readonly log: OpenLog;
  readonly stops: (() => void)[];
  working: Promise<void> | undefined;
  isStale: boolean;
  isClosed: boolean;
}

export const createLogKeeper = (options: LogKeeperOptions): LogKeeper => {
  const { files, logDirectory, guestLogOf, runLogOf } = options;
  const open = new Map<string, Following>();
  const readers = new Map<string, Set<() => void>>();
  const tell = (vm: string): void => {
    for (const onNews of readers.get(vm) ?? []) onNews();
  };
  const start = async (vm: string, segment: Segment, marks: ReadMarks): Promise<void> => {
    const folder = logFolderOf(logDirectory, vm);
    const sources = { guest: guestLogOf(vm).path, run: runLogOf(vm) };
    const log: OpenLog = { folder, sources, segment, marks, sizeBytes: undefined, isCut: false };
    const following: Following = { log, stops: [], working: undefined, isStale: false, isClosed: false };
    open.set(vm, following);
    // A run that says nothing has a log too.
    await files.appendText(`${folder}/${renderSegment(segment)}`, '');
    watch(options, { vm, following, onNews: () => tell(vm) });
  };
  return {
    begin: async (vm) => {
      await stop(options, open, { vm, tell });
      const { run } = (await lastSegment(options, vm)) ?? { run: -1 };
      await prepare(options, vm, run);
      const printed = (await files.look(runLogOf(vm)))?.sizeBytes ?? 0;
      await start(vm, { run: run + 1, number: 0 }, { guest: 0, run: printed });
    },
    resume: async (vm) => {
      if (open.has(vm)) return;
      const last = await lastSegment(options, vm);
      if (last === undefined) await prepare(options, vm, -1);
      const end = last === undefined ? undefined : await endOf(options, vm, last);
      const { run, number } = last ?? { run: 0, number: 0 };
      await start(vm, { run, number: end?.isTorn === false ? number : number + 1 }, end?.marks ?? NO_MARKS);
    },
    finish: (vm) => stop(options, open, { vm, tell }),
    remove: async (vm) => {
      await stop(options, open, { vm, tell });
      await files.remove(logFolderOf(logDirectory, vm));
    },
    isOpen: (vm) => open.has(vm),
    subscribe: (vm, onNews) => {
      const handlers = readers.get(vm) ?? new Set();
      readers.set(vm, handlers.add(onNews));
      return () => {
        handlers.delete(onNews);
        if (handlers.size === 0 && readers.get(vm) === handlers) readers.delete(vm);
      };
    },
    close: () => {
      for (const following of open.values()) closeWatches(following);
      open.clear();
    },
  };
};

const lastSegment = async ({ files, logDirectory }: LogKeeperOptions, vm: string): Promise<Segment | undefined> =>
  parseSegments(await files.list(logFolderOf(logDirectory, vm))).at(-1);

/** Only the last run stays, as the previous one. */
const prepare = async ({ files, logDirectory }: LogKeeperOptions, vm: string, lastRun: number): Promise<void> => {
  const folder = logFolderOf(logDirectory, vm);
  await files.makeDirectory(folder, { mode: 0o755 });
  for (const segment of parseSegments(await files.list(folder))) {
    if (segment.run < lastRun) await files.remove(`${folder}/${renderSegment(segment)}`);
  }
};

/** A segment that does not tell how far it got is never added to: what comes next goes into another one. */
const endOf = ({ files, logDirectory }: LogKeeperOptions, vm: string, last: Segment) =>
  findEnd(files, `${logFolderOf(logDirectory, vm)}/${renderSegment(last)}`);

interface Watching {
  readonly vm: string;
  readonly following: Following;
  readonly onNews: () => void;
}

/** The folders tell of changes; a look now and then finds those that nobody told of. */
const watch = (options: LogKeeperOptions, { vm, following, onNews }: Watching): void => {
  const { files, clock, logger, guestLogOf, logDirectory } = options;
  const work = async (): Promise<void> => {
    do {
      following.isStale = false;
      if (await copyNews({ files, clock }, following.log, 'newline')) onNews();
    } while (following.isStale && !following.isClosed);
  };
  const look = (): void => {
    if (following.isClosed) return;
    following.isStale = true;
    following.working ??= work()
      .catch((error: unknown) => logger.warn('The log of a VM cannot be copied', { vm, error }))
      .finally(() => {
        following.working = undefined;
      });
  };
  let cancel = (): void => undefined;
  const again = (): void => {
    look();
    cancel = options.clock.schedule(LOOK_EVERY_MS, again);
  };
  const watchFolder = (path: string): (() => void) => {
    try {
      return files.watch(path, look);
    } catch (error) {
      logger.debug('A folder of a VM is not watched', { vm, error });
      return () => undefined;
    }
  };
  following.stops.push(() => cancel(), watchFolder(guestLogOf(vm).directory), watchFolder(logDirectory));
  again();
};

const closeWatches = (following: Following): void => {
  following.isClosed = true;
  for (const end of following.stops) end();
};

interface Stopping {
  readonly vm: string;
  readonly tell: (vm: string) => void;
}

const stop = async (
  { files, clock, logger }: LogKeeperOptions,
  open: Map<string, Following>,
  { vm, tell }: Stopping,
): Promise<void> => {
  const following = open.get(vm);
  if (following === undefined) return;
  closeWatches(following);
  await following.working;
  await copyNews({ files, clock }, following.log, 'all').catch((error: unknown) =>
    logger.warn('The end of a log cannot be copied', { vm, error }),
  );
  open.delete(vm);
  tell(vm);
};
