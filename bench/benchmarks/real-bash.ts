/** How many scripts the simulated Macs with real bash run in a second, over real SSH, and what a Mac that is on costs. */
import type { Benchmark, Sample } from '../benchmark.ts';
import { settledMemory } from '../subjects/usage.ts';

const MACS = 8;
/** Each is checked, applied and verified the first time, and checked afterwards: between ten and fifty processes each. */
const STEPS = ['sudo', 'hostname', 'idle-sleep', 'ssh-watchdog'];
const ROUNDS = 3;

const ours = async (): Promise<Sample> => {
  const { neverAborted } = await import('../../src/base/abort.ts');
  const { createSystemClock } = await import('../../src/base/clock.ts');
  const { createSystemRandom } = await import('../../src/base/random.ts');
  const { readFileSync } = await import('node:fs');
  const { Secret } = await import('../../src/base/secret.ts');
  const { readStepFiles } = await import('../../src/hosts/program/step-files.ts');
  const { DEFAULT_SSH_TIMES } = await import('../../src/hosts/ssh/ssh-connection.ts');
  const { createSshHosts } = await import('../../src/hosts/ssh/ssh-hosts.ts');
  const { serveMacs } = await import('../../src/sim/mac/bash/serve-macs.ts');
  const signal = neverAborted();
  const clock = createSystemClock();
  const { rssMb: before } = await settledMemory();
  const startMs = performance.now();
  const served = await serveMacs({ clock, random: createSystemRandom(), count: MACS, port: 0, speed: 1 });
  const bootMs = (performance.now() - startMs) / MACS;
  const { rssMb: after } = await settledMemory();
  try {
    const hosts = createSshHosts({ clock, ...DEFAULT_SSH_TIMES, files: readStepFiles() });
    const privateKey = new Secret(readFileSync(served.keyPath, 'utf8'));
    const runOn = async ({ port, password, name }: (typeof served.macs)[number]): Promise<number> => {
      const target = { address: '127.0.0.1', port, user: 'm1', privateKey };
      const first = await hosts.open({ ...target, pinnedHostKey: undefined }, signal);
      await first.close();
      const session = await hosts.open({ ...target, pinnedHostKey: first.hostKey }, signal);
      const call = (step: string, epoch: number) => ({
        ...{ step, do: 'converge' as const, digest: String(epoch) },
        inputs: step === 'first-look' ? { claim: 'bench', takeover: 'no' } : { nodeName: name },
        secrets: step === 'sudo' ? { sudoPassword: password } : {},
      });
      let scripts = 0;
      for (let epoch = 1; epoch <= ROUNDS; epoch += 1)
        for (const steps of [['first-look', 'sudo'], STEPS.slice(1)]) {
          const calls = steps.map((step) => call(step, epoch));
          const answer = await session.run({ epoch, calls, timeoutMs: 60_000 }, signal);
          scripts += answer.steps.reduce((sum, { phases }) => sum + phases.length, 0);
        }
      await session.close();
      return scripts;
    };
    const fromMs = performance.now();
    const scripts = (await Promise.all(served.macs.map(runOn))).reduce((sum, count) => sum + count, 0);
    const seconds = (performance.now() - fromMs) / 1_000;
    return {
      'scripts/s': scripts / seconds,
      'start of a Mac, ms': bootMs,
      'memory of a Mac, MB': (after - before) / MACS,
    };
  } finally {
    await served.close();
  }
};

export const realBash: Benchmark = {
  id: 'real-bash',
  about: 'simulated Macs with real bash: scripts run over SSH on eight of them at once',
  figures: [
    { name: 'scripts/s', goal: { of: 'ours', is: '>=', value: 20 } },
    { name: 'start of a Mac, ms' },
    { name: 'memory of a Mac, MB' },
  ],
  ours,
};
