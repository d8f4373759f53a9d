/** The progress of several processes of the suite, from what they print, as one line per case. */

/** The first line of a case is its name, with its labels at the end; its last line begins with a dot. */
const NAME = /^(\[sig-.+?)(?: \[sig-[^\]]*\])?$/;
const END = /^• (?:\[([A-Z]+)\] )?\[[\d.]+ seconds\]/;

/** To be called with each line of one process; tells of each case that ended, once. */
const followLines = (told: (outcome: 'passed' | 'failed', name: string) => void): ((line: string) => void) => {
  let name = '';
  return (line) => {
    const end = END.exec(line);
    if (end !== null) told(end[1] === undefined || end[1] === 'SLOW' ? 'passed' : 'failed', name);
    // After its end a failed case is named once more, with what failed in it.
    else name = NAME.exec(line)?.[1] ?? name;
  };
};

/** Prints `12/90 passed [sig-x] name`, over all processes. */
export const createProgress = (total: number, print: (text: string) => void): (() => (line: string) => void) => {
  let ended = 0;
  return () =>
    followLines((outcome, name) => {
      ended += 1;
      print(`${ended}/${total} ${outcome} ${name}\n`);
    });
};
