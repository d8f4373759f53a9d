/** A session with one host over SSH: commands side by side, uploads, one time limit over all, one way to end it. */
import { neverAborted, throwIfAborted, withDeadline } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import { createLimiter } from '../../base/limiter.ts';
import { sessionClosed } from '../port/session-errors.ts';
import type { HostTarget } from '../port.ts';
import { type CommandResult, type CommandRunner, type RemoteCommand, runCommand } from './run-command.ts';
import { connectSsh, type LinkOptions, type SshLink } from './ssh2-link.ts';
import { type Upload, upload } from './upload.ts';

export interface SshOptions extends LinkOptions {
  /** From the login on, whatever runs then. */
  readonly sessionTimeoutMs: number;
}

export const DEFAULT_SSH_TIMES: Omit<SshOptions, 'clock'> = {
  connectTimeoutMs: 20_000,
  keepalive: { everyMs: 10_000, unansweredMax: 3 },
  sessionTimeoutMs: 3_600_000,
};

export interface SshConnection {
  readonly hostKey: string;
  /** A non-zero exit is an answer. Otherwise as runCommand; more than four wait for each other. */
  run(command: RemoteCommand, signal: AbortSignal): Promise<CommandResult>;
  upload(file: Upload, signal: AbortSignal): Promise<void>;
  /** Ends what still runs on the host, as far as it can be reached, and the connection. Never rejects. */
  close(): Promise<void>;
}

/**
 * OpenSSH takes ten by default. One that has just ended still counts there for a moment, and commands that end others need
 * a place too.
 */
const COMMANDS_AT_ONCE = 4;
const GOODBYE_MS = 6_000;

/** Rejects as Hosts.open does. */
export const openSshConnection = async (
  target: HostTarget,
  options: SshOptions,
  signal: AbortSignal,
): Promise<SshConnection> => {
  throwIfAborted(signal);
  const link = await connectSsh(target, options, signal);
  return connectionOn(link, options);
};

const connectionOn = (link: SshLink, { clock, sessionTimeoutMs }: SshOptions): SshConnection => {
  const limiter = createLimiter(COMMANDS_AT_ONCE);
  const finishing = new Set<Promise<void>>();
  const running = new Set<AbortController>();
  let isClosed = false;
  const cancelTimer = clock.schedule(sessionTimeoutMs, () => link.fail(sessionTooLong(sessionTimeoutMs)));
  void link.gone.then(cancelTimer);
  const finish = (work: Promise<void>): void => {
    // A host that cannot be told ends the command itself: see remote-command.ts.
    const settled = work.catch(() => undefined).finally(() => finishing.delete(settled));
    finishing.add(settled);
  };
  const runner: CommandRunner = { link, clock, finish };
  const limited = async <T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    if (isClosed) throw sessionClosed();
    const closing = new AbortController();
    running.add(closing);
    try {
      const either = AbortSignal.any([signal, closing.signal]);
      return await limiter.run(() => work(either), either);
    } finally {
      running.delete(closing);
    }
  };
  return {
    hostKey: link.hostKey,
    run: (command, signal) => limited(signal, (either) => runCommand(runner, command, either)),
    upload: (file, signal) => limited(signal, (either) => upload(runner, file, either)),
    close: async () => {
      isClosed = true;
      for (const controller of running) controller.abort(sessionClosed());
      await goodbye({ link, finishing, clock });
    },
  };
};

interface Farewell extends Pick<SshOptions, 'clock'> {
  readonly link: SshLink;
  readonly finishing: ReadonlySet<Promise<void>>;
}

const goodbye = async ({ link, finishing, clock }: Farewell): Promise<void> => {
  // Commands that were just aborted hand over their end a turn later.
  await Promise.resolve();
  const limit = { clock, timeoutMs: GOODBYE_MS, signal: neverAborted(), doing: 'closing a session' };
  try {
    await withDeadline(limit, async () => {
      while (finishing.size > 0) await Promise.all(finishing);
      link.end();
      await link.gone;
    });
  } catch (error) {
    link.fail(error instanceof FleetError ? error : sessionClosed());
  }
};

const sessionTooLong = (timeoutMs: number): FleetError =>
  new FleetError('unavailable', {
    code: 'DeadlineExceeded',
    message: `the SSH session took longer than ${timeoutMs} ms in all`,
    details: { timeoutMs },
  });
