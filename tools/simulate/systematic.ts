/** `--systematic`: every reference scenario with each crash and each single fault once, shared among the processors. */
import type { Job } from './job.ts';
import type { Mode } from './mode.ts';
import { runTasks } from './pool.ts';

export const runSystematicMode: Mode = async ({ flags, print, tell, signal, cores, elapsedMs }) => {
  const of = flags.workers ?? cores;
  const tasks = Array.from({ length: of }, (_, at): { readonly job: Job } => ({
    job: { do: 'systematic', every: flags.every, everyCrash: flags.everyCrash, share: { at, of } },
  }));
  let runs = 0;
  let points = 0;
  const violations: string[] = [];
  await runTasks(tasks, {
    ...{ workers: of, signal },
    onLine: (line) => {
      if (line.is !== 'systematic') return;
      runs += line.runs;
      points = line.points;
      violations.push(...line.violations);
    },
  });
  for (const violation of violations) tell(violation);
  print(
    JSON.stringify({
      points,
      runs,
      violations: violations.length,
      seconds: Math.round(elapsedMs() / 1_000),
      workers: of,
    }),
  );
  return violations.length === 0;
};
