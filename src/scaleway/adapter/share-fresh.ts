/** One run at a time, shared by all who ask, and never one that had begun before they asked. */

/**
 * Whoever asks while a run is under way gets the next one, which begins when that one has ended. So what an asker did
 * before it asked is in its answer: a server it has just ordered is not missing from the list (R25).
 */
export const shareFresh = <T>(run: () => Promise<T>): (() => Promise<T>) => {
  let current: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const start = (): Promise<T> => {
    const started = run().finally(() => {
      if (current === started) current = undefined;
    });
    current = started;
    return started;
  };
  return () => {
    if (current === undefined) return start();
    const ended = current.then(
      () => undefined,
      () => undefined,
    );
    next ??= ended.then(() => {
      next = undefined;
      return start();
    });
    return next;
  };
};
