/** Defects of the runners controller. */
import type { Mutant } from './mutant.ts';

const LIFE = 'src/runners/life/runner-controller.ts';
const POOL = 'src/runners/pool/pool-controller.ts';

export const IN_RUNNERS: readonly Mutant[] = [
  {
    id: 'N8',
    story: 'a runner that no label calls busy is deleted, whatever the dispatcher says of it',
    killedBy: ['S30'],
    budget: 5,
    world: 'runners',
    edits: [
      {
        file: LIFE,
        from: 'const verdict = judgeStanding(standing);',
        to: "const verdict = judgeStanding({ ...standing, protocol: 2, state: 'idle', refused: true });",
      },
    ],
  },
  {
    id: 'N14',
    story: 'runners are made that are not on record, and made again when that is tried again',
    killedBy: ['S33'],
    budget: 5,
    world: 'runners',
    edits: [
      {
        file: POOL,
        from: 'makeRunners(plan.create, {',
        to: 'makeRunners(plan.create.map(() => nameRunner(pool.metadata.name, ports.random)), {',
      },
    ],
  },
];
