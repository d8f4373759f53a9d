/** `--mutant` and `--mutants`: the code with a known defect. A mutant that no schedule of its budget finds has survived. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { FleetError } from '../../src/base/errors.ts';
import { parseKills, type RecordedKill, renderKills } from '../../test/mutants/kills.ts';
import type { Mutant } from '../../test/mutants/mutant.ts';
import { MUTANTS } from '../../test/mutants/mutants.ts';
import type { Found, HuntJob, RunnerHuntJob } from './job.ts';
import { type Mode, type ModeContext, renderTable } from './mode.ts';
import { runTasks } from './pool.ts';

/** How a hunt ended. */
export interface Kill {
  readonly id: string;
  /** Absent: it survived. */
  readonly found?: Found;
  /** Up to the one that found it. */
  readonly schedules: number;
  /** Promises that broke too, and are not on its list. */
  readonly others: readonly string[];
}

export const runMutantMode: Mode = async (context) => {
  const { flags, print } = context;
  const mutant = MUTANTS.find(({ id }) => id === flags.mutant);
  if (mutant === undefined) throw unknownMutant(flags.mutant ?? '');
  const [kill] = await huntAll([mutant], { ...context, onKill: () => undefined });
  if (flags.save !== undefined && kill?.found?.saved) writeFileSync(flags.save, kill.found.saved);
  if (flags.json !== true) print(renderKill(mutant, kill));
  print(JSON.stringify(toSummary(mutant, kill)));
  return kill?.found !== undefined;
};

export const runMutantsMode: Mode = async (context) => {
  const { flags, print } = context;
  const kills = await huntAll(MUTANTS, {
    ...context,
    flags: { ...flags, shrink: 0 },
    onKill: (kill, mutant) => {
      if (flags.json !== true) print(toRow(mutant, kill).join('  '));
      if (flags.save !== undefined) keepRecord(flags.save, kill);
    },
  });
  const survivors = kills.filter(({ found }) => found === undefined).map(({ id }) => id);
  const rows = MUTANTS.map((mutant) =>
    toRow(
      mutant,
      kills.find(({ id }) => id === mutant.id),
    ),
  );
  if (flags.json !== true) print(`\n${renderTable([HEADER, ...rows])}`);
  print(JSON.stringify({ mutants: MUTANTS.length, killed: MUTANTS.length - survivors.length, survivors }));
  return survivors.length === 0;
};

interface HuntContext extends ModeContext {
  readonly onKill: (kill: Kill, mutant: Mutant) => void;
}

const huntAll = async (mutants: readonly Mutant[], context: HuntContext): Promise<readonly Kill[]> => {
  const { flags, cores, onKill } = context;
  const left = mutants.values();
  const kills: Kill[] = [];
  const work = async (): Promise<void> => {
    for (const mutant of left) {
      const kill = await huntOne(mutant, context);
      kills.push(kill);
      onKill(kill, mutant);
    }
  };
  await Promise.all(Array.from({ length: flags.workers ?? cores }, work));
  return kills;
};

/** What the code breaks without the mutant too is no proof against the mutant: the hunt goes on. */
const huntOne = async (mutant: Mutant, { flags, signal }: ModeContext): Promise<Kill> => {
  const { id, budget: allowed, killedBy: properties, world } = mutant;
  const budget = flags.seeds ?? allowed;
  const others = new Set<string>();
  for (let from = 1; from <= budget; ) {
    const job: HuntJob | RunnerHuntJob =
      world === 'runners'
        ? { do: 'hunt-runners', from, budget, properties }
        : { do: 'hunt', mutant: id, from, budget, properties, shrink: flags.shrink };
    const { found, schedules, others: alsoBroken } = await runHunt(job, { mutant: id, signal });
    for (const other of alsoBroken) others.add(other);
    if (found === undefined) break;
    const broken = world === 'runners' ? await playClean(found, signal) : await replayClean(found.saved, signal);
    if (!broken.includes(found.property)) return { id, schedules, others: [...others], found };
    others.add(`${found.property} (without it too)`);
    from = schedules + 1;
  }
  return { id, schedules: budget, others: [...others] };
};

interface HuntRun {
  readonly signal: AbortSignal;
  readonly mutant?: string;
}

const runHunt = async (job: HuntJob | RunnerHuntJob, { mutant, signal }: HuntRun): Promise<Omit<Kill, 'id'>> => {
  let found: Found | undefined;
  let end = { schedules: job.budget, others: [] as readonly string[] };
  await runTasks([{ job, ...(mutant === undefined ? {} : { mutant }) }], {
    ...{ workers: 1, signal },
    onLine: (line) => {
      if (line.is === 'found') found = line;
      if (line.is === 'hunt') end = line;
    },
  });
  return { ...end, ...(found && { found }) };
};

/** The same day without the mutant. */
const playClean = async ({ seed, property }: Found, signal: AbortSignal): Promise<readonly string[]> => {
  const day = Number(seed);
  const { found } = await runHunt({ do: 'hunt-runners', from: day, budget: day, properties: [property] }, { signal });
  return found === undefined ? [] : [found.property];
};

const replayClean = async (saved: string, signal: AbortSignal): Promise<readonly string[]> => {
  const broken: string[] = [];
  await runTasks([{ job: { do: 'replay', saved } as const }], {
    ...{ workers: 1, signal },
    onLine: (line) => line.is === 'replay' && broken.push(...line.broken),
  });
  return broken;
};

const toRecord = ({ id, found, schedules }: Kill): readonly RecordedKill[] =>
  found === undefined ? [] : [{ id, property: found.property, seed: found.seed, schedules }];

/** At once, in place of what was on record about this mutant: a hunt for all of them may be stopped. */
const keepRecord = (file: string, kill: Kill): void => {
  const known = existsSync(file) ? parseKills(readFileSync(file, 'utf8')) : [];
  writeFileSync(file, renderKills([...known.filter(({ id }) => id !== kill.id), ...toRecord(kill)]));
};

const HEADER = ['mutant', 'broken', 'seed', 'of', 'also broken', 'what it does'] as const;

const toRow = ({ id, story, budget }: Mutant, kill: Kill | undefined): readonly string[] => {
  const { found, others = [] } = kill ?? {};
  return [
    id,
    found?.property ?? 'SURVIVED',
    String(found?.seed ?? '-'),
    String(budget),
    others.join(' ') || '-',
    story,
  ];
};

const renderKill = ({ id, story, budget, killedBy }: Mutant, kill: Kill | undefined): string => {
  const { found, others = [] } = kill ?? {};
  const head = `${id}: ${story}\n`;
  if (found === undefined)
    return `${head}survived ${budget} schedules: none broke ${killedBy.join(', ')}${others.length > 0 ? `, but ${others.join(', ')}` : ''}`;
  return `${head}broke ${found.property} after ${kill?.schedules} of ${budget} schedules\n\n${found.table}\n`;
};

const toSummary = ({ id, budget }: Mutant, kill: Kill | undefined): object => ({
  mutant: id,
  killed: kill?.found !== undefined,
  ...(kill?.found && { property: kill.found.property, seed: kill.found.seed }),
  ...{ schedules: kill?.schedules, budget },
});

const unknownMutant = (id: string): FleetError =>
  new FleetError('invalid', {
    code: 'UnknownMutant',
    message: `there is no mutant ${id}`,
    hint: `One of: ${MUTANTS.map((mutant) => mutant.id).join(', ')}.`,
  });
