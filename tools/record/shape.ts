/**
 * What two recordings of `up` have in common when the code is the same: everything but chance (ids, the ends of names) and time
 * (ages, how far the jobs are, where runners stand in their short lives). Pure.
 */

/** Lines that any machine records alike, in a fixed order. */
export const shapeOf = (recording: string): readonly string[] => {
  const [command = '', , ...rest] = recording.split('\n');
  const blocks = rest.join('\n').trimEnd().split('\n\n');
  return [command, ...blocks.flatMap(shapeOfBlock)];
};

const shapeOfBlock = (block: string): readonly string[] => {
  const [first = '', ...rows] = block.split('\n');
  if (first.startsWith('MAC ')) return [wordsOf(first), ...rows.map(shapeOfMac).toSorted()];
  if (first.startsWith('POD ')) return [wordsOf(first), ...rows.filter(isLasting).map(shapeOfPod).toSorted()];
  if (first.startsWith('CI JOB ')) return [wordsOf(first), ...rows.map(shapeOfJob)];
  return block.split('\n').map((line) => line.replace(/(runnerpool\/\S+ )\d+/, '$1…'));
};

const wordsOf = (line: string): string => line.trim().split(/ {2,}/).join(' | ');

/** Its id, its age and how many Pods it has just now are left out. */
const shapeOfMac = (row: string): string => {
  const [, state = '', node = '', step = '', , , fleet = '', ...waits] = row.trim().split(/ {2,}/);
  return [state, node, step, fleet, ...waits].join(' | ');
};

/** Runners live for seconds, and are at another point of it in every recording. */
const isLasting = (row: string): boolean => !row.startsWith('ci-runner-');

const shapeOfPod = (row: string): string => {
  const [pod = '', state = '', node = ''] = row.trim().split(/ {2,}/);
  return [withoutChance(pod), state, withoutChance(node)].join(' | ');
};

/** `macos-6248d97931-5rxmm`: the hash of a template stays as long as the template does, the end is drawn. */
const withoutChance = (name: string): string => name.replace(/-[a-z0-9]{5}$/, '-…');

const shapeOfJob = (row: string): string => {
  const [, job] = /^(\d{4}) /.exec(row) ?? [];
  return job ?? row.replace(/^\d+ of /, '… of ');
};

export interface Difference {
  readonly is: 'only recorded now' | 'only in the picture';
  readonly line: string;
}

/** Empty when both tell the same. */
export const compareShapes = (picture: readonly string[], now: readonly string[]): readonly Difference[] => [
  ...leftOver(picture, now).map((line) => ({ is: 'only in the picture', line }) as const),
  ...leftOver(now, picture).map((line) => ({ is: 'only recorded now', line }) as const),
];

/** Each line as often as it is here more than there. */
const leftOver = (here: readonly string[], there: readonly string[]): readonly string[] => {
  const unmatched = [...there];
  return here.filter((line) => {
    const at = unmatched.indexOf(line);
    if (at !== -1) unmatched.splice(at, 1);
    return at === -1;
  });
};
