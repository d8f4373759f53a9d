/** What our adapter costs beyond Scaleway's SDK that it stands on, for a project of ten thousand servers. */
import type { Benchmark, Sample } from '../benchmark.ts';
import { median } from '../judge.ts';
import { cpuMs } from '../subjects/usage.ts';

const SERVERS = 10_000;
const LISTS = 7;
const ASKERS = 1_000;

/** The answer to each page, rendered once, so that only the client's work is measured. */
const renderPages = async (): Promise<readonly string[]> => {
  const { createSystemClock } = await import('../../src/base/clock.ts');
  const { createSeededRandom } = await import('../../src/base/random.ts');
  const { createSimCloud } = await import('../../src/sim/cloud/sim-cloud.ts');
  const cloud = createSimCloud({ clock: createSystemClock(), random: createSeededRandom(1) });
  for (let at = 0; at < SERVERS; at += 1) cloud.addServer({ name: `pool-${at}` });
  return Array.from({ length: SERVERS / 100 }, (_, at) => {
    const target = `/apple-silicon/v1alpha1/zones/fr-par-1/servers?page=${at + 1}&page_size=100`;
    return cloud.serve({ method: 'GET', target, headers: {}, body: '', caller: 'bench' })?.body ?? '';
  });
};

const pageOf = (url: string): number => Number(new URL(url).searchParams.get('page') ?? 1);

/** The median of several lists; the first one only warms up. */
const measureLists = async (list: () => Promise<number>): Promise<Sample> => {
  const [times, cpus]: [number[], number[]] = [[], []];
  for (let count = 0; count <= LISTS; count += 1) {
    const [startMs, startCpuMs] = [performance.now(), cpuMs()];
    const listed = await list();
    if (listed !== SERVERS) throw new TypeError(`listed ${listed} servers of ${SERVERS}`);
    if (count === 0) continue;
    times.push(performance.now() - startMs);
    cpus.push(cpuMs() - startCpuMs);
  }
  return { 'time of a list, ms': median(times), 'cpu of a list, ms': median(cpus) };
};

const ours = async (): Promise<Sample> => {
  const pages = await renderPages();
  const { neverAborted } = await import('../../src/base/abort.ts');
  const { createSystemClock } = await import('../../src/base/clock.ts');
  const { createSystemRandom } = await import('../../src/base/random.ts');
  const { connectCloud } = await import('../../src/scaleway/adapter/connect.ts');
  const { createSimulatedCredentials } = await import('../../src/scaleway/adapter/credentials.ts');
  const headers = { 'content-type': 'application/json' };
  let firstPages = 0;
  /** Each has a budget of its own, which a single list does not use up. */
  const connect = () =>
    connectCloud({
      transport: async ({ url }) => {
        const page = pageOf(url);
        if (page === 1) firstPages += 1;
        return { status: 200, headers, body: pages[page - 1] ?? '' };
      },
      credentials: createSimulatedCredentials('00000000-0000-4000-a000-000000000001'),
      clock: createSystemClock(),
      random: createSystemRandom(),
    });
  const lists = await measureLists(async () => (await connect().listServers('fr-par-1', neverAborted())).length);
  firstPages = 0;
  const cloud = connect();
  await Promise.all(Array.from({ length: ASKERS }, () => cloud.listServers('fr-par-1', neverAborted())));
  return { ...lists, 'lists made for 1,000 who ask at once': firstPages };
};

const peer = async (): Promise<Sample> => {
  const pages = await renderPages();
  const { Applesiliconv1alpha1 } = await import('@scaleway/sdk-applesilicon');
  const { createAdvancedClient, withHTTPClient, withProfile } = await import('@scaleway/sdk-client');
  const headers = { 'Content-Type': 'application/json' };
  const client = createAdvancedClient(
    withProfile({ accessKey: 'SCWSIMULATED00000000', secretKey: '00000000-0000-4000-b000-000000000000' }),
    withHTTPClient(async (input) => {
      const url = input instanceof Request ? input.url : String(input);
      return new Response(pages[pageOf(url) - 1], { headers });
    }),
  );
  const api = new Applesiliconv1alpha1.API(client);
  return measureLists(async () => (await api.listServers({ zone: 'fr-par-1', pageSize: 100 }).all()).length);
};

export const scalewayList: Benchmark = {
  id: 'scaleway-list',
  about: "10,000 servers listed through our adapter; the peer is the bare calls of Scaleway's SDK below it",
  figures: [
    { name: 'time of a list, ms', goal: { of: 'ratio', is: '<=', value: 1.5 } },
    { name: 'cpu of a list, ms' },
    { name: 'lists made for 1,000 who ask at once', goal: { of: 'ours', is: '<=', value: 2 } },
  ],
  ours,
  peer,
};
