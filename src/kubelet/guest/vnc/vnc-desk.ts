/**
 * The relays to the screens of this Mac's VMs: one per VM for as long as somebody may look. What is told of it stands on the Pod
 * and in a file for operators; the password is in the file alone.
 */
import { type Clock, toTimestamp } from '../../../base/clock.ts';
import { toFleetError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Pod } from '../../../kube/types/pod.ts';
import type { HostFiles } from '../../host/host-files.ts';
import type { VmPort, VncEndpoint } from '../../vm/vm-port.ts';
import { type ReadyRelay, renderVncAnnotations, vncFileOf, type WantedRelay, wantedRelay } from './plan-vnc.ts';
import type { Relay, StartRelay } from './relay.ts';

export interface VncDesk {
  /** Opens or closes the relay as the Pod has it, and gives what shall stand on the Pod. Never rejects because of a screen. */
  follow(pod: Pod, vm: string): Promise<Readonly<Record<string, string | null>>>;
  /** The VM is over. */
  end(pod: Pod | undefined, vm: string): Promise<void>;
  /** Calls back after an operator may have asked for a screen, or for its end. */
  subscribe(onChange: () => void): () => void;
}

export interface VncDeskOptions {
  readonly files: HostFiles;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly vms: Pick<VmPort, 'vncOf'>;
  readonly startRelay: StartRelay;
  /** With `requests` and `state` in it. */
  readonly directory: string;
  /** Where others find this Mac's relays. */
  readonly host: string;
}

interface Open extends ReadyRelay {
  readonly relay: Relay;
  readonly tokenHash: string | undefined;
}

/** Makes the folders; without them nobody could ask. */
export const openVncDesk = async (options: VncDeskOptions): Promise<VncDesk> => {
  const { files, logger, directory } = options;
  const open = new Map<string, Open>();
  for (const name of ['requests', 'state']) await files.makeDirectory(`${directory}/${name}`, { mode: 0o700 });
  const close = async (pod: Pod | undefined, vm: string): Promise<void> => {
    await open.get(vm)?.relay.close();
    open.delete(vm);
    if (pod === undefined) return;
    for (const ending of ['json', 'endpoint.json'])
      await files.remove(`${directory}/state/${vncFileOf(pod)}.${ending}`);
  };
  return {
    follow: async (pod, vm) => {
      const request = await files.look(`${directory}/requests/${vncFileOf(pod)}`);
      const wanted = wantedRelay(pod, () => request !== undefined);
      const known = open.get(vm);
      if (known !== undefined && (wanted === undefined || wanted.tokenHash !== known.tokenHash)) await close(pod, vm);
      if (wanted === undefined) return renderVncAnnotations(undefined);
      try {
        const ready = open.get(vm) ?? (await start(options, pod, { vm, wanted }));
        if (ready !== undefined) open.set(vm, ready);
        return renderVncAnnotations(ready);
      } catch (thrown) {
        logger.warn('No relay to a screen could be opened', { vm, error: toFleetError(thrown) });
        return renderVncAnnotations(undefined);
      }
    },
    end: close,
    subscribe: (onChange) => files.watch(`${directory}/requests`, onChange),
  };
};

/** Undefined while the VM has not said where its screen is. */
const start = async (
  options: VncDeskOptions,
  pod: Pod,
  { vm, wanted }: { readonly vm: string; readonly wanted: WantedRelay },
): Promise<Open | undefined> => {
  const { vms, logger, clock, host, startRelay } = options;
  const endpoint = await vms.vncOf(vm);
  if (endpoint === undefined) {
    logger.info('VNC metadata unavailable for recovered VM, or not yet printed', { vm });
    return undefined;
  }
  const { tokenHash } = wanted;
  const relay = await startRelay({ endpoint, ...(tokenHash !== undefined && { tokenHash }) });
  await writeState(options, pod, { vm, endpoint, port: relay.port });
  return { relay, tokenHash, host, port: relay.port, readyAt: toTimestamp(clock.now()) };
};

const writeState = async (
  { files, directory, host }: VncDeskOptions,
  pod: Pod,
  { vm, endpoint, port }: { readonly vm: string; readonly endpoint: VncEndpoint; readonly port: number },
): Promise<void> => {
  const path = `${directory}/state/${vncFileOf(pod)}`;
  const write = (name: string, content: object): Promise<void> =>
    files.writeText(name, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  await write(`${path}.endpoint.json`, { vm, ...endpoint });
  await write(`${path}.json`, { vm, host, port, password: endpoint.password });
};
