/**
 * One command over a connection: input, bounded output, exit code, and an end in every case. A command whose caller gives
 * up is ended on the Mac with its whole process group, through a second channel.
 */
import type { ClientChannel } from 'ssh2';
import { abortable, neverAborted, withDeadline, withTimeLimit } from '../../base/abort.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import { findMark, MARK_LENGTH_MAX, renderKillLine, renderRunLine } from '../port/remote-command.ts';
import { connectionLost } from '../port/session-errors.ts';
import { type BoundedOutput, createBoundedOutput } from './bounded-output.ts';
import type { SshLink } from './ssh2-link.ts';

export interface RemoteCommand {
  /** The program and its arguments. Seen by every user of the Mac: no secrets. */
  readonly argv: readonly string[];
  /** Empty unless given. */
  readonly stdin?: Uint8Array | AsyncIterable<Uint8Array>;
  /** Told of standard output while it comes, after the mark. */
  readonly onStdout?: (chunk: Uint8Array) => void;
  readonly timeoutMs: number;
  /** For the error of a command that takes too long: "step sudo". */
  readonly doing: string;
}

export interface CommandResult {
  /** 128 and the signal's number when a signal ended it. */
  readonly exitCode: number;
  readonly stdout: BoundedOutput;
  readonly stderr: BoundedOutput;
}

export interface CommandRunner {
  readonly link: SshLink;
  readonly clock: Clock;
  /** Takes care of work that outlasts the call: the end of a process group. */
  readonly finish: (work: Promise<void>) => void;
}

/** The Mac ends a command itself some time after we should have. */
const LIMIT_MARGIN_SECONDS = 10;
const KILL_TIMEOUT_MS = 5_000;

/** Rejects with `unavailable` when the connection is lost or the time is up, and with what the signal was aborted with. */
export const runCommand = (
  runner: CommandRunner,
  command: RemoteCommand,
  signal: AbortSignal,
): Promise<CommandResult> => {
  const { argv, timeoutMs, doing } = command;
  const line = renderRunLine({ argv, limitSeconds: Math.ceil(timeoutMs / 1000) + LIMIT_MARGIN_SECONDS });
  return withTimeLimit({ clock: runner.clock, timeoutMs, signal, doing }, async (limited) => {
    const opening = openChannel(runner, line, limited);
    const channel = await abortable(opening, limited).catch((error) => {
      // The host may be starting it already.
      runner.finish(
        opening.then((late) =>
          endGroup(
            runner,
            late,
            attend(late, runner.link, () => undefined),
          ),
        ),
      );
      throw error;
    });
    const run = attend(channel, runner.link, command.onStdout ?? (() => undefined));
    const sent = send(channel, command.stdin ?? new Uint8Array(), run.ended);
    try {
      return await abortable(Promise.race([run.ended, sent.then(() => run.ended)]), limited);
    } catch (error) {
      if (run.isOpen()) runner.finish(endGroup(runner, channel, run));
      throw error;
    }
  });
};

/** How long to wait before asking again, each time that the host has no channel left. */
const CHANNEL_PAUSES_MS = [20, 100, 500, 1_000];

const openChannel = async (
  { link, clock }: CommandRunner,
  line: string,
  signal: AbortSignal,
): Promise<ClientChannel> => {
  for (const pauseMs of CHANNEL_PAUSES_MS) {
    try {
      return await link.exec(line);
    } catch (error) {
      if (!(error instanceof FleetError) || error.code !== 'HostRefusedChannel') throw error;
    }
    await sleep(clock, pauseMs, signal);
  }
  return link.exec(line);
};

interface AttendedRun {
  /** Rejects when the connection is lost before the exit code came. */
  readonly ended: Promise<CommandResult>;
  /** Undefined when the channel closed without one. */
  readonly group: Promise<number | undefined>;
  isOpen(): boolean;
}

const attend = (channel: ClientChannel, link: SshLink, onStdout: (chunk: Uint8Array) => void): AttendedRun => {
  const ended = Promise.withResolvers<CommandResult>();
  const group = Promise.withResolvers<number | undefined>();
  const stdout = createBoundedOutput();
  const stderr = createBoundedOutput();
  let isOpen = true;
  const take = (chunk: Uint8Array): void => {
    stdout.push(chunk);
    onStdout(chunk);
  };
  channel.on('data', afterMark(group.resolve, take));
  channel.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  // A broken connection; the close that follows tells it.
  channel.on('error', () => undefined);
  // It has the exit code too, and comes when all output was read; the event for the exit alone may have come before us.
  channel.once('close', (code: number | null | undefined) => {
    isOpen = false;
    group.resolve(undefined);
    if (code === undefined) ended.reject(link.loss() ?? connectionLost());
    else ended.resolve({ exitCode: code ?? SIGNALLED, stdout, stderr });
  });
  // Whoever gave up on the run hears of its end no more.
  ended.promise.catch(() => undefined);
  return { ended: ended.promise, group: group.promise, isOpen: () => isOpen };
};

/** The wrapper itself was killed; which signal it was does not matter to anybody. */
const SIGNALLED = 137;

/** Swallows what a login shell prints, up to the mark; what follows is the command's. */
const afterMark = (onGroup: (group: number) => void, take: (chunk: Uint8Array) => void): ((chunk: Buffer) => void) => {
  let pending: Buffer | undefined = Buffer.alloc(0);
  return (chunk) => {
    if (pending === undefined) {
      take(chunk);
      return;
    }
    const bytes = Buffer.concat([pending, chunk]);
    const mark = findMark(bytes);
    if (mark === undefined) {
      pending = bytes.subarray(-MARK_LENGTH_MAX);
      return;
    }
    pending = undefined;
    onGroup(mark.group);
    take(bytes.subarray(mark.length));
  };
};

/** A command that ends, or closes its input, before it has read everything is judged by its exit code. */
const send = async (
  channel: ClientChannel,
  stdin: Uint8Array | AsyncIterable<Uint8Array>,
  ended: Promise<unknown>,
): Promise<void> => {
  if (stdin instanceof Uint8Array) {
    channel.end(stdin);
    return;
  }
  let isOver = false;
  const over = ended.then(
    () => undefined,
    () => undefined,
  );
  void over.then(() => {
    isOver = true;
  });
  for await (const chunk of stdin) {
    if (isOver) return;
    if (!channel.write(chunk)) await Promise.race([new Promise((resolve) => channel.once('drain', resolve)), over]);
  }
  channel.end();
};

/** Best effort: a Mac that cannot be reached ends the group itself. */
const endGroup = async (runner: CommandRunner, channel: ClientChannel, run: AttendedRun): Promise<void> => {
  const limit = { clock: runner.clock, timeoutMs: KILL_TIMEOUT_MS, signal: neverAborted(), doing: 'ending a command' };
  try {
    await withDeadline(limit, async (signal) => {
      const group = await run.group;
      if (group === undefined) return;
      const killer = await openChannel(runner, renderKillLine(group), signal);
      killer.resume();
      killer.stderr.resume();
      killer.end();
      await new Promise((resolve) => killer.once('close', resolve));
    });
  } finally {
    channel.close();
  }
};
