/** The end of a process that may have ended by itself a moment ago; of a group, by its number with a minus. */
export const killNow = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
};
