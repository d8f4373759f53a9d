/** What `tart run` says at its end. Its code is 0 also when the guest broke down: only its words tell the two apart. Pure. */

const BROKE_DOWN = /^guest has stopped the virtual machine due to error: (.*)$/m;
const ENDED = /^guest has stopped the virtual machine\b.*$/gm;

/** Why the guest stopped, if it did not mean to. Only the last end counts; what earlier runs printed is not to be in here. */
export const guestErrorIn = (log: string): string | undefined => {
  const last = log.match(ENDED)?.at(-1);
  return last === undefined ? undefined : BROKE_DOWN.exec(last)?.[1];
};
