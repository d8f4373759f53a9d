/** The API of a tart-kubelet on a Mac of steps: logs and Pods over HTTPS, on a port of the loopback. What a Mac uses is not simulated. */
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { createAccess } from '../kubelet/api/access.ts';
import { type KubeletServer, startKubeletServer } from '../kubelet/api/https-server.ts';
import { createKubeletApi } from '../kubelet/api/kubelet-api.ts';
import { createLogKeeper, type LogKeeper } from '../kubelet/api/logs/log-keeper.ts';
import type { Kubelet } from '../kubelet/create-kubelet.ts';
import type { HostFiles } from '../kubelet/host/host-files.ts';
import { type KubeletServing, MAC_PATHS } from './kubelet-ports.ts';

export interface StepServingOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly client: KubeClient;
  readonly nodeName: string;
  /** Of the loopback. */
  readonly address: string;
  readonly files: HostFiles;
  /** PEM of the authority that callers' certificates must come from. */
  readonly clientAuthority: string;
}

export interface StepServing extends KubeletServing {
  readonly server: KubeletServer;
  readonly logs: LogKeeper;
  answerFor(kubelet: Kubelet): void;
  close(): Promise<void>;
}

export const serveStepKubelet = async (options: StepServingOptions): Promise<StepServing> => {
  const { clock, logger, client, nodeName, address, files, clientAuthority } = options;
  const access = createAccess({ client, clock, nodeName });
  const server = await startKubeletServer({ host: address, port: 0, clientAuthority, access, logger });
  const { userdata, logs: logDirectory } = MAC_PATHS;
  const logs = createLogKeeper({
    ...{ files, clock, logger, logDirectory },
    runLogOf: (vm) => `${logDirectory}/${vm}.log`,
    guestLogOf: (vm) => ({ directory: `${userdata}/${vm}/status`, path: `${userdata}/${vm}/status/runner.log` }),
  });
  return {
    ...{ address, server, logs },
    answerFor: ({ pods, vmOf }) =>
      server.answerWith(
        createKubeletApi({
          ...{ clock, pods: () => pods.list(), logs: { files, keeper: logs, logDirectory, vmOf } },
          ...{ metrics: nothing, resourceMetrics: nothing, summary: async () => ({}) },
        }),
      ),
    close: async () => {
      logs.close();
      await server.close();
    },
  };
};

const nothing = async (): Promise<string> => '';
