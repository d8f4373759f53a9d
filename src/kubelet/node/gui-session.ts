/**
 * The graphical session of the login user, without which macOS starts no VM (§1.12). It is looked for before every start, and
 * brought back by starting loginwindow again through launchd: a hang-up would kill one that is dead already for good (003-3).
 */
import { abortable } from '../../base/abort.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { CommandPort } from '../host/command-port.ts';

export interface GuiSession {
  /** Whether it is there now. */
  look(signal: AbortSignal): Promise<boolean>;
  /** Brings it back when it is not there; rejects with `unavailable` (GuiSessionMissing) when that does not help. */
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
    if (await look(life)) return;
    if (clock.elapsed() - repairedAtMs >= REPAIR_EVERY_MS) {
      repairedAtMs = clock.elapsed();
      logger.warn('No graphical session; loginwindow is started again');
      await restartLoginwindow(options);
    }
    for (const untilMs = clock.elapsed() + WAIT_MS; clock.elapsed() < untilMs; ) {
      await sleep(clock, LOOK_EVERY_MS, life);
      if (await look(life)) return;
    }
    throw missing();
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

const hasSession = async ({ commands, uid }: GuiSessionOptions, signal: AbortSignal): Promise<boolean> => {
  const argv = ['/usr/bin/sudo', '-n', '/bin/launchctl', 'print', `gui/${uid}`] as const;
  const { code, stdout } = await commands.run({ argv, timeoutMs: COMMAND_TIMEOUT_MS, signal });
  return code === 0 && stdout.includes('session = Aqua');
};

const restartLoginwindow = async (options: GuiSessionOptions): Promise<void> => {
  const job = 'system/com.apple.loginwindow';
  const argv = ['/usr/bin/sudo', '-n', '/bin/launchctl', 'kickstart', '-k', job] as const;
  const { code, stderr } = await options.commands.run({
    ...{ argv, timeoutMs: COMMAND_TIMEOUT_MS, signal: options.life },
  });
  if (code !== 0) options.logger.warn('launchd did not start loginwindow again', { code, stderr: stderr.trim() });
};

const missing = (): FleetError =>
  new FleetError('unavailable', {
    code: 'GuiSessionMissing',
    message: 'ensure gui session: the login user has no graphical session, and starting loginwindow again brought none',
    hint: 'Look at the condition AutoLogin of the Node: a wrong password in /etc/kcpassword keeps the user logged out.',
  });
