/**
 * Looks for the first schedule in which a promise is broken. Run as a process of its own, with the mutant preloaded:
 *
 *     MACFLEET_MUTANT=N1 node --import ./test/mutants/hook.ts test/mutants/hunt.ts 200
 */
import { runSeed } from '../../src/world/simulate/run-seed.ts';

const budget = Number(process.argv[2] ?? '100');

const hunt = async (): Promise<object> => {
  for (let seed = 1; seed <= budget; seed += 1) {
    const { violations } = await runSeed(seed);
    const [first] = violations;
    if (first !== undefined) return { seed, property: first.property, message: first.message };
  }
  return { seed: null };
};

process.stdout.write(`${JSON.stringify(await hunt())}\n`);
