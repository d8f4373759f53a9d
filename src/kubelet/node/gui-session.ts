/**
 * The graphical session of the login user, without which macOS starts no VM (§1.12). It is looked for before every start, and
 * brought back by starting loginwindow again through launchd: a hang-up would kill one that is dead already for good (003-3).
 */
import { abortable } from '../../base/abort.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { FleetError, isKind, messageOf, toFleetError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { CommandPort, CommandResult } from '../host/command-port.ts';

export interface GuiSession {
  /** Whether it is there now; rejects with `unavailable` (GuiSessionUnseen) when nobody can say. */
  look(signal: AbortSignal): Promise<boolean>;
  /** Brings it back when it is seen not to be there; rejects with `unavailable` (GuiSessionMissing) when that does not help. */
  ensure(signal: AbortSignal): Promise<void>;
}

export interface GuiSessionOptions {
  readonly commands: Pick<CommandPort, 'run'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of the user as whom the agent runs. */
  readonly uid: number;
  /** As long as the agent lives. */
  readonly life: AbortSignal;
}

const COMMAND_TIMEOUT_MS = 10_000;
const WAIT_MS = 30_000;
const LOOK_EVERY_MS = 1_000;
/** A loginwindow that is started over and over never gets to log anybody in. */
const REPAIR_EVERY_MS = 60_000;

export const createGuiSession = (options: GuiSessionOptions): GuiSession => {
  let repairedAtMs = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | undefined;
  const look = (signal: AbortSignal): Promise<boolean> => hasSession(options, signal);
  const bringBack = async (): Promise<void> => {
    const { clock, logger, life } = options;
    const untilMs = clock.elapsed() + WAIT_MS;
    if (await look(life)) return;
    if (clock.elapsed() - repairedAtMs >= REPAIR_EVERY_MS) {
      // What runs in a session ends with it, VMs too: one look is not enough to start loginwindow again.
      await sleep(clock, LOOK_EVERY_MS, life);
      if (await look(life)) return;
      repairedAtMs = clock.elapsed();
      logger.warn('No graphical session; loginwindow is started again');
      await restartLoginwindow(options);
    }
    let trouble: FleetError = missing(AFTER_REPAIR);
    while (clock.elapsed() < untilMs) {
      await sleep(clock, LOOK_EVERY_MS, life);
      const found = await look(life).catch(toFleetError);
      if (found === true) return;
      trouble = found === false ? missing(AFTER_REPAIR) : found;
    }
    throw trouble;
  };
  return {
    look,
    // Whoever comes meanwhile waits for the same end, and may give up alone.
    ensure: (signal) => {
      underWay ??= bringBack().finally(() => {
        underWay = undefined;
      });
      return abortable(underWay, signal);
    },
  };
};

/** Where there is no such thing as a session, nothing is missing. */
export const noGuiSession: GuiSession = { look: async () => true, ensure: async () => undefined };

/** Says what is missing, and leaves it so. */
export const lookingOnly = ({ look }: GuiSession): GuiSession => ({
  look,
  ensure: async (signal) => {
    if (!(await look(signal))) throw missing('');
  },
});

/** launchd's words for a domain and for a service that are not there. */
const NOT_FOUND: readonly (number | undefined)[] = [112, 113];

const hasSession = async ({ commands, uid }: GuiSessionOptions, signal: AbortSignal): Promise<boolean> => {
  const argv = ['/usr/bin/sudo', '-n', '/bin/launchctl', 'print', `gui/${uid}`] as const;
  const result = await commands.run({ argv, timeoutMs: COMMAND_TIMEOUT_MS, signal }).catch((cause: unknown) => {
    throw isKind(cause, 'cancelled') ? cause : unseen(messageOf(cause), cause);
  });
  if (result.code === 0) return result.stdout.includes('session = Aqua');
  if (NOT_FOUND.includes(result.code)) return false;
  throw unseen(renderEnd(result));
};

const renderEnd = ({ code, killedBy, stderr }: CommandResult): string => {
  if (code === undefined) return `sudo launchctl print was ended by ${killedBy}`;
  return `sudo launchctl print ended with ${code}: ${stderr.trim()}`;
};

const restartLoginwindow = async (options: GuiSessionOptions): Promise<void> => {
  const job = 'system/com.apple.loginwindow';
  const argv = ['/usr/bin/sudo', '-n', '/bin/launchctl', 'kickstart', '-k', job] as const;
  const { code, stderr } = await options.commands.run({
    ...{ argv, timeoutMs: COMMAND_TIMEOUT_MS, signal: options.life },
  });
  if (code !== 0) options.logger.warn('launchd did not start loginwindow again', { code, stderr: stderr.trim() });
};

const AFTER_REPAIR = ', and starting loginwindow again brought none';

const missing = (more: string): FleetError =>
  new FleetError('unavailable', {
    code: 'GuiSessionMissing',
    message: `ensure gui session: the login user has no graphical session${more}`,
    hint: 'Look at the condition AutoLogin of the Node: a wrong password in /etc/kcpassword keeps the user logged out.',
  });

const unseen = (why: string, cause?: unknown): FleetError =>
  new FleetError('unavailable', {
    code: 'GuiSessionUnseen',
    message: `ensure gui session: nobody can say whether the login user has a graphical session: ${why}`,
    hint: 'The agent needs sudo without a password; on the Mac, try sudo -n launchctl print gui/<uid>.',
    ...(cause !== undefined && { cause }),
  });
