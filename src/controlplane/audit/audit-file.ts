/**
 * Adapter: the file of an audit log, for its owner alone, appended to. Whoever tells it something never waits for the disk. What a disk
 * does not take waits in memory up to a bound, and is lost beyond that: no request fails because of its log.
 */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { FleetError, messageOf } from '../../base/errors.ts';
import type { AuditEvent } from './audit-event.ts';

export interface AuditFile {
  write(event: AuditEvent): void;
  /** Writes what it can of what waits. Call it once, last. */
  close(): Promise<void>;
}

export interface AuditFileOptions {
  readonly path: string;
  /** Told once of a disk that takes no more, and in the end of what was lost. */
  readonly say: (text: string) => void;
}

/** What waits for the disk: many seconds of a busy fleet. What is being written may be as much again. */
const WAITING_CHARS_MAX = 4 * 1024 * 1024;

/** Rejects with `AuditLogUnusable` and what to do. */
export const openAuditFile = async ({ path, say }: AuditFileOptions): Promise<AuditFile> => {
  const { handle, ending } = await openOrSay(path);
  let head = Buffer.from(ending);
  let lines: string[] = [];
  let [waitingChars, lost, isDraining, isTold] = [0, 0, false, false];
  const tellOnce = (why: string): void => {
    if (isTold) return;
    isTold = true;
    say(`The audit log ${path} cannot be written: ${why}. The API goes on; each request tries the log again.`);
  };
  const takeNext = (): void => {
    head = Buffer.from(lines.join(''));
    [lines, waitingChars] = [[], 0];
  };
  /** One write at a time, so that lines stay whole and in order: what a full disk took half of is gone on with. */
  const drain = async (): Promise<void> => {
    if (isDraining) return;
    isDraining = true;
    try {
      while (head.length > 0 || lines.length > 0) {
        if (head.length === 0) takeNext();
        const { bytesWritten } = await handle.write(head);
        head = head.subarray(bytesWritten);
      }
    } catch (error) {
      tellOnce(messageOf(error));
    } finally {
      isDraining = false;
    }
  };
  let drained = Promise.resolve();
  return {
    write: (event) => {
      const line = `${JSON.stringify(event)}\n`;
      if (waitingChars + line.length > WAITING_CHARS_MAX) {
        lost += 1;
        tellOnce('the disk is too slow');
      } else {
        lines.push(line);
        waitingChars += line.length;
      }
      if (!isDraining) drained = drain();
    },
    close: async () => {
      await drained;
      await drain();
      const left = lost + lines.length + countLines(head);
      if (left > 0) say(`${left} lines of the audit log ${path} are lost.`);
      await handle.close();
    },
  };
};

const countLines = (text: Buffer): number => text.toString().split('\n').length - 1;

interface OpenedFile {
  readonly handle: FileHandle;
  /** What a line that an earlier run left half-written lacks. */
  readonly ending: string;
}

/** A pipe without a reader would otherwise make the open wait. */
const FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

const openOrSay = async (path: string): Promise<OpenedFile> => {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, FLAGS, OWNER_ONLY);
    const stats = await handle.stat();
    if (!stats.isFile() && !stats.isCharacterDevice()) throw new Error('it is no file');
    if (stats.isFile() && (stats.mode & OTHERS) !== 0) await handle.chmod(OWNER_ONLY);
    return { handle, ending: await findEnding(handle, stats) };
  } catch (error) {
    await handle?.close();
    throw unusable(path, error);
  }
};

const findEnding = async (handle: FileHandle, stats: Stats): Promise<string> => {
  if (!stats.isFile() || stats.size === 0) return '';
  const { buffer } = await handle.read({ buffer: Buffer.alloc(1), position: stats.size - 1 });
  return buffer.toString() === '\n' ? '' : '\n';
};

const unusable = (path: string, cause: unknown): FleetError =>
  new FleetError('invalid', {
    code: 'AuditLogUnusable',
    message: `cannot write an audit log to ${path}: ${messageOf(cause)}`,
    hint: 'Name a file with --audit-log, in a folder that is there and that you may write to; the file is made where there is none.',
    cause,
  });
