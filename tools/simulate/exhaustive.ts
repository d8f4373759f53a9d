/** `--exhaustive`: every schedule of a tiny fleet up to its bounds, shared among the processors. */
import type { ExhaustiveAnswer, Job } from './job.ts';
import type { Mode } from './mode.ts';
import { runTasks } from './pool.ts';

export const runExhaustiveMode: Mode = async ({ flags, print, tell, signal, cores, elapsedMs }) => {
  const of = flags.workers ?? cores;
  const { steps, minutes } = flags;
  const tasks = Array.from({ length: of }, (_, at): { readonly job: Job } => ({
    job: { do: 'exhaustive', steps, minutes, share: { at, of } },
  }));
  const answers: ExhaustiveAnswer[] = [];
  await runTasks(tasks, {
    ...{ workers: of, signal },
    onLine: (line) => line.is === 'exhaustive' && answers.push(line),
  });
  const violations = answers.flatMap((answer) => answer.violations);
  const sum = (countOf: (answer: ExhaustiveAnswer) => number): number =>
    answers.reduce((total, answer) => total + countOf(answer), 0);
  const schedules = Array.from({ length: steps + 1 }, (_, at) => sum((answer) => answer.schedules[at] ?? 0));
  const left = sum((answer) => answer.left);
  const states = new Set(answers.flatMap((answer) => answer.states)).size;
  for (const violation of violations) tell(violation);
  if (flags.json !== true) {
    for (const [at, count] of schedules.entries())
      print(`${String(count).padStart(8)}  schedules ${at} steps from the dullest one`);
    print(left === 0 ? `complete up to ${steps} steps` : `${left} more were not run: the time was up`);
  }
  const counts = { schedules: sum(({ schedules: run }) => run.reduce((total, count) => total + count, 0)), states };
  const seconds = Math.round(elapsedMs() / 1_000);
  print(
    JSON.stringify({ ...counts, events: sum(({ events }) => events), violations: violations.length, left, seconds }),
  );
  return violations.length === 0 && left === 0;
};
