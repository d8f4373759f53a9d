/** Macs with tart-kubelet on a real Kubernetes, with kubectl in hand: they have a namespace, a token to join by and a fleet of their own. */
import { writeFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { neverAborted } from '../../../src/base/abort.ts';
import { isKind } from '../../../src/base/errors.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import { Secret } from '../../../src/base/secret.ts';
import { type KubeconfigOptions, renderKubeconfig } from '../../../src/kube/client/login/render-kubeconfig.ts';
import { NODES } from '../../../src/kube/types/core.ts';
import { approveServing, letJoin } from '../../tart-kubelet/agent-process.ts';
import type { Cluster } from '../bench/cluster.ts';
import { drawToken } from '../cluster-api/node-access.ts';
import { newId } from '../kinds/kinds-scene.ts';
import { eventually, openScene, type Scene } from '../kube/scene.ts';
import { createKubeletMac, type KubeletMac, type KubeletMacOptions } from './kubelet-mac.ts';

export interface MacPark extends Scene {
  /** Their label `tuist.dev/fleet`; the namespace's name. */
  readonly fleet: string;
  readonly macs: readonly KubeletMac[];
  macOf(nodeName: string | undefined): KubeletMac;
  /** In the namespace: what it printed, and what it complained about. */
  kubectl(words: string, input?: object): Promise<string>;
  /** The same as data. */
  read<T>(words: string): Promise<T>;
  /** Waits for something other than undefined and false; tells what the agents said when it never comes. */
  until<T>(what: string, look: () => Promise<T>): Promise<Exclude<T, undefined | false>>;
}

export interface MacParkOptions {
  readonly macs: number;
  /** Instead of the shared one. */
  readonly cluster?: Cluster;
  /** Their agents run, and their Nodes are ready, unless the test starts them itself. */
  readonly agents?: 'not-started';
  /** Of their Tarts. */
  readonly images?: KubeletMacOptions['images'];
}

const DEADLINE_MS = 90_000;
const SAID_MAX = 3_000;

export const openMacPark = async (t: TestContext, options: MacParkOptions): Promise<MacPark> => {
  const scene = await openScene(t, options.cluster);
  const { cluster, client, namespace, undo } = scene;
  const macs = createMacs(options, namespace);
  for (const mac of macs) undo(mac.scrap);
  const names = macs.map(({ nodeName }) => nodeName);
  for (const name of names) {
    undo(() =>
      client.delete(NODES, { name }, { signal: neverAborted() }).catch((error: unknown) => {
        if (!isKind(error, 'not-found')) throw error;
      }),
    );
  }
  const approving = new AbortController();
  void approveServing(client, approving.signal, names);
  undo(async () => approving.abort());
  const login = await drawJoin(scene);
  for (const { kubeconfig } of macs) writeFileSync(kubeconfig, login);
  const kubectl: MacPark['kubectl'] = async (words, input) => {
    const given = input === undefined ? {} : { input: JSON.stringify(input) };
    const { stdout, stderr } = await cluster.kubectl(['-n', namespace, ...words.split(' ')], given);
    return `${stdout}${stderr}`;
  };
  const park: MacPark = {
    ...{ ...scene, fleet: namespace, macs, kubectl },
    macOf: (nodeName) => macs.find((mac) => mac.nodeName === nodeName) ?? fail(`no Mac is called ${nodeName}`),
    read: async <T>(words: string) => parseAnswer<T>(await kubectl(`${words} -o json`)),
    until: (what, look) => eventually(what, look, DEADLINE_MS).catch((error: Error) => fail(tellAll(error, macs))),
  };
  if (options.agents === undefined) await startAll(park);
  return park;
};

const fail = (why: string): never => {
  throw new Error(why);
};

/** Each with a network of its own, and none of another test's. */
const createMacs = ({ macs: count, images }: MacParkOptions, fleet: string): readonly KubeletMac[] => {
  const [second = 0, third = 0] = createSystemRandom().bytes(2);
  return Array.from({ length: count }, (_, at) =>
    createKubeletMac({
      ...{ nodeName: `mac-${newId().slice(0, 8)}`, fleet },
      loopback: `127.${128 + (second % 120)}.${(third + at) % 256}`,
      ...(images === undefined ? {} : { images }),
    }),
  );
};

/** The kubeconfig of a Mac that has not joined yet. */
const drawJoin = async ({ cluster, client, namespace, undo, signal }: Scene): Promise<string> => {
  const { id, secret, group } = drawToken(namespace, createSystemRandom());
  const token = `${id}.${secret}`;
  undo(await letJoin(client, { token, group }, signal));
  return renderLogin(cluster, { token: new Secret(token) });
};

export const renderLogin = ({ server, caPem }: Cluster, client: KubeconfigOptions['client']): string =>
  renderKubeconfig({ server, authority: caPem, name: 'mac', client });

const startAll = async ({ macs, until, kubectl, undo }: MacPark): Promise<void> => {
  for (const mac of macs) mac.start();
  // While there are still agents to let them go.
  undo(() => kubectl('delete deployments,jobs,pods --all --grace-period=1 --timeout=30s'));
  await until('all Nodes are ready', async () => {
    const lines = await kubectl(`get nodes --no-headers ${macs.map(({ nodeName }) => nodeName).join(' ')}`);
    return lines.match(/^\S+ +Ready /gm)?.length === macs.length;
  });
};

const parseAnswer = <T>(text: string): T => JSON.parse(text) as T;

const tellAll = ({ message }: Error, macs: readonly KubeletMac[]): string =>
  [message, ...macs.map((mac) => `${mac.nodeName} said:\n${mac.said().slice(-SAID_MAX)}`)].join('\n');
