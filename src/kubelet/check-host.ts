/** `tart-kubelet --check`: says whether this Mac could be a Node, one line per thing that must be right, and changes nothing. */
import { toFleetError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import { type HostIo, readRequired } from '../kube/client/login/host-io.ts';
import { readConfig } from '../kube/node/node-login.ts';
import { CONCERNS, type Concern, type Finding, type NodeCapacity } from './node/node-facts.ts';
import type { OpenHost } from './open-host.ts';

export interface CheckOptions {
  readonly mac: Pick<OpenHost, 'watch' | 'address' | 'system'>;
  readonly host: HostIo;
  readonly nodeName: string;
  readonly capacity: NodeCapacity;
  readonly kubeconfig: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const TITLES: Readonly<Record<Concern, string>> = {
  disk: 'disk space',
  memory: 'memory',
  pids: 'processes',
  guiSession: 'graphical session',
  tart: 'tart',
  autoLogin: 'automatic login',
};

/** Whether all is well. */
export const checkHost = async (options: CheckOptions): Promise<boolean> => {
  const { mac, nodeName, kubeconfig, host, say, signal } = options;
  const trial = async (what: string, look: () => Promise<string>): Promise<boolean> => {
    try {
      say(`ok    ${what}: ${await look()}`);
      return true;
    } catch (thrown) {
      const { message, hint } = toFleetError(thrown);
      say(`WRONG ${what}: ${message}${hint === undefined ? '' : `. ${hint}`}`);
      return false;
    }
  };
  const trials = [
    await trial('node name', async () => nodeName),
    await trial('address', async () => (await mac.address()) ?? 'none; there will be no logs and no forwarders'),
    await trial('capacity', async () => {
      const { cpu, memoryMib, pods } = options.capacity;
      return `${cpu} processors, ${memoryMib} MiB, ${pods} Pods`;
    }),
    await trial('kubeconfig', async () => {
      const text = new Secret(await readRequired(host, kubeconfig));
      return `${kubeconfig}, for ${readConfig({ nodeName, kubeconfig: text }).server}`;
    }),
    await trial('host', async () => {
      const { osImage, runtimeVersion } = await mac.system();
      return `${osImage}, tart ${runtimeVersion}`;
    }),
  ];
  await mac.watch.lookOnce(signal);
  const { findings } = mac.watch.state();
  for (const concern of CONCERNS) say(renderFinding(TITLES[concern], findings[concern]));
  return [...trials, ...CONCERNS.map((concern) => !isTrouble(findings[concern]))].every(Boolean);
};

/** Also what could not be seen for a reason that somebody has to do something about. */
const isTrouble = (finding: Finding): boolean => finding.is !== 'well' && finding.reason !== undefined;

const renderFinding = (what: string, finding: Finding): string => {
  if (finding.is === 'well') return `ok    ${what}`;
  return `${finding.is === 'ill' ? 'WRONG' : '?    '} ${what}: ${finding.message}`;
};
