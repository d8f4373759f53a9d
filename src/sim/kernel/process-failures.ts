/**
 * Adapter to the process: while a simulation runs, a rejection nobody handles and an exception nobody catches belong to
 * it. The listeners of others (the test runner's) are set aside for that time and put back afterwards.
 */

export const captureProcessFailures = (report: (error: unknown) => void): (() => void) => {
  const onFailure = (error: unknown): void => report(error);
  const rejections = process.rawListeners('unhandledRejection');
  const exceptions = process.rawListeners('uncaughtException');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', onFailure);
  process.removeAllListeners('uncaughtException').on('uncaughtException', onFailure);
  return () => {
    process.off('unhandledRejection', onFailure).off('uncaughtException', onFailure);
    for (const listener of rejections) process.on('unhandledRejection', listener);
    for (const listener of exceptions) process.on('uncaughtException', listener);
  };
};
