/** The log of a command: what a person should know is a line on stderr, everything else is not said. */
import type { Logger } from '../../base/logger.ts';

export const createNoticeLogger = (stderr: (text: string) => void): Logger => {
  const notice = (message: string): void => stderr(`warning: ${message}\n`);
  const logger: Logger = {
    log: (level, message) => {
      if (level === 'warn' || level === 'error') notice(message);
    },
    debug: () => undefined,
    info: () => undefined,
    warn: notice,
    error: notice,
    with: () => logger,
  };
  return logger;
};
