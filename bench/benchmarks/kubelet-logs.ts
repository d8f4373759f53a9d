/**
 * How fast `kubectl logs` brings a long log from an agent through a real API server, in turns with a bare server that only sends the same
 * bytes: what kubectl, the API server and two hops of TLS take of this machine is the floor. kubectl copies a log line by line, a write for
 * each, so it depends on how long lines are. And straight from the agent's port.
 */
import type { Benchmark, Figure, Sample } from '../benchmark.ts';

const LOG_MB = 24;
/** With their line breaks. */
const LINE_BYTES = [80, 200, 1_000, 4_000] as const;
const READS = 5;
const NODE = 'mac-0';

const WORDS = 'a line of a build log: compiling Sources/Fleet/Machine.swift for arm64-apple-macos26.0; ';

const lineOf = (bytes: number): string => WORDS.repeat(Math.ceil(bytes / WORDS.length)).slice(0, bytes - 1);

const ours = async (): Promise<Sample> => {
  const { PODS, NODES } = await import('../../src/kube/types/core.ts');
  const { openKubeletLab } = await import('../kubelet/lab.ts');
  const { renderJob } = await import('../kubelet/jobs.ts');
  const { cpuMsOf } = await import('../kubelet/first-request.ts');
  const { startBareLogs } = await import('../kubelet/bare-logs.ts');
  const { readStraight } = await import('../kubelet/straight-logs.ts');
  const { until } = await import('../control-plane/until.ts');
  const { median } = await import('../judge.ts');
  const life = new AbortController();
  const { signal } = life;
  const lab = await openKubeletLab('kubernetes');
  try {
    const { client, cluster } = lab;
    const agent = await lab.startAgent(NODE);
    const { status } = await client.get(NODES, { name: NODE }, { signal });
    const port = status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
    const readLog = async (...words: readonly string[]): Promise<string> =>
      (await cluster.kubectl(['logs', ...words])).stdout;
    const timed = async (read: () => Promise<number>): Promise<number> => {
      const beganMs = performance.now();
      const bytes = await read();
      return bytes / 1e3 / (performance.now() - beganMs);
    };
    const byKubectl = (pod: string) => async (): Promise<number> => Buffer.byteLength(await readLog(pod));
    const measureLines = async (bytes: number): Promise<Sample> => {
      const [talks, bare] = [`talks-${bytes}`, `bare-${bytes}`];
      const [line, lines] = [lineOf(bytes), Math.floor((LOG_MB * 1e6) / bytes)];
      const script = `yes '${line}' | head -n ${lines} >"$STATUS/runner.log"; echo the end >>"$STATUS/runner.log"; sleep 1`;
      await client.create(PODS, renderJob(talks, NODE, script), { signal });
      await until('the end of the log', async () => (await readLog(talks, '--tail=1')) === 'the end\n');
      await startBareLogs({ cluster, client, name: bare, text: `${`${line}\n`.repeat(lines)}the end\n`, signal });
      const [agents, bares, straights, cpus]: [number[], number[], number[], number[]] = [[], [], [], []];
      const cpuMs = (): number => cpuMsOf(Number(agent.child.pid));
      for (let at = 0; at < READS; at += 1) {
        const beforeMs = cpuMs();
        agents.push(await timed(byKubectl(talks)));
        cpus.push((LOG_MB * 1e3) / (cpuMs() - beforeMs));
        bares.push(await timed(byKubectl(bare)));
        straights.push(
          await timed(() => readStraight(cluster, { port, path: `/containerLogs/default/${talks}/main` })),
        );
      }
      const names = namesOf(bytes);
      return {
        [names.agent]: median(agents),
        [names.bare]: median(bares),
        [names.ratio]: median(agents) / median(bares),
        [names.straight]: median(straights),
        [names.cpu]: median(cpus),
      };
    };
    let sample: Sample = {};
    for (const bytes of LINE_BYTES) sample = { ...sample, ...(await measureLines(bytes)) };
    return sample;
  } finally {
    life.abort();
    await lab.stop();
  }
};

const namesOf = (bytes: number) => ({
  agent: `lines of ${bytes} bytes, kubectl logs, MB/s`,
  bare: `lines of ${bytes} bytes, of a bare server, MB/s`,
  ratio: `lines of ${bytes} bytes, ours to bare, 1`,
  straight: `lines of ${bytes} bytes, straight, MB/s`,
  cpu: `lines of ${bytes} bytes, per agent CPU second, MB`,
});

const figuresOf = (bytes: number): readonly Figure[] => {
  const names = namesOf(bytes);
  return [
    { name: names.agent, goal: { of: 'ours', is: '>=', value: 50 } },
    { name: names.bare },
    { name: names.ratio, goal: { of: 'ours', is: '>=', value: 0.9 } },
    { name: names.straight, goal: { of: 'ours', is: '>=', value: 50 } },
    { name: names.cpu },
  ];
};

export const kubeletLogs: Benchmark = {
  id: 'kubelet-logs',
  about:
    'kubectl logs of VMs that printed 24 MB in short and long lines, through a real API server, and straight from the agent',
  figures: LINE_BYTES.flatMap(figuresOf),
  ours,
};
