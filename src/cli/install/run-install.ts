/** Prints what `macfleet install` is asked for, or applies it. */
import { stringify } from 'yaml';
import { createSystemClock } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import { createLogger } from '../../base/logger.ts';
import { createSystemRandom } from '../../base/random.ts';
import { applyObjects, nameObject } from '../../install/apply-objects.ts';
import { renderComponents } from '../../install/components.ts';
import { renderDefinitions } from '../../install/definitions.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { connectCluster } from '../../kube/client/connect.ts';
import { createHostIo } from '../../kube/client/login/host-io.ts';
import { loadInCluster } from '../../kube/client/login/load-cluster.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import { withCluster } from '../cluster/open-cluster.ts';
import type { CliIo } from '../io.ts';

export interface InstallFlags {
  readonly apply: boolean;
  readonly crds: boolean;
  /** Only try what `apply` would do. */
  readonly dryRun: boolean;
  readonly forceConflicts: boolean;
  readonly fieldManager: string;
  readonly image?: string;
  readonly apiServerUrl?: string;
  readonly namespace: string;
  readonly scalewaySecret: string;
  readonly zones: string;
  readonly dispatchUrl?: string;
  readonly sessionsUrl?: string;
  readonly scalingSignalsUrl?: string;
  readonly runnersNamespace: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

export const runInstall = async (flags: InstallFlags, io: CliIo): Promise<void> => {
  const objects = flags.crds ? renderDefinitions() : renderAll(flags);
  if (flags.apply || flags.dryRun) return applyAll(objects, flags, io);
  for (const object of objects) io.stdout(`---\n${renderYaml(object)}`);
};

const renderYaml = (object: KubeObject): string =>
  stringify(object, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' });

const renderAll = (flags: InstallFlags): readonly KubeObject[] => {
  const { namespace, scalewaySecret, zones, dispatchUrl } = flags;
  const { image, apiServerUrl } = flags;
  if (image === undefined) throw noImage();
  if (apiServerUrl === undefined) throw noApiServer();
  const { sessionsUrl, scalingSignalsUrl, runnersNamespace } = flags;
  const runners =
    dispatchUrl === undefined
      ? undefined
      : { namespace: runnersNamespace, dispatchUrl, sessionsUrl, scalingSignalsUrl };
  return renderComponents({ namespace, image, apiServerUrl, scalewaySecret, zones, runners });
};

const noImage = (): FleetError =>
  new FleetError('invalid', {
    code: 'NoInstallImage',
    message: '--image is not said',
    hint: 'Build one with "npm run build:image", push it to your registry, and name it.',
  });

const noApiServer = (): FleetError =>
  new FleetError('invalid', {
    code: 'NoApiServerForMacs',
    message: '--api-server-url is not said',
    hint: 'Macs are outside of the cluster: "kubectl config view --minify" shows the address that you use yourself.',
  });

const applyAll = async (objects: readonly KubeObject[], flags: InstallFlags, io: CliIo): Promise<void> => {
  const { kubeconfig, context, fieldManager, dryRun, forceConflicts } = flags;
  const conflicts = forceConflicts ? 'take over' : 'refuse';
  const how = { fieldManager, conflicts, mode: dryRun ? 'try' : 'apply' } as const;
  const onApplied = (object: KubeObject): void =>
    io.stdout(`${nameObject(object)} ${dryRun ? 'would be applied' : 'applied'}\n`);
  const apply = ({ client }: { readonly client: KubeClient }) =>
    applyObjects(objects, { client, onApplied, ...how }, io.signal);
  if (isPod(flags, io)) return withOwnCluster(io, apply);
  const named = { ...(kubeconfig === undefined ? {} : { kubeconfig }), ...(context === undefined ? {} : { context }) };
  return withCluster(named, io, apply);
};

/** A Pod has no kubeconfig, and means its own cluster. */
const isPod = ({ kubeconfig, context }: InstallFlags, { env }: CliIo): boolean =>
  kubeconfig === undefined &&
  context === undefined &&
  env['KUBECONFIG'] === undefined &&
  env['KUBERNETES_SERVICE_HOST'] !== undefined;

const withOwnCluster = async (
  { env, stderr }: CliIo,
  work: (cluster: { readonly client: KubeClient }) => Promise<void>,
): Promise<void> => {
  const [clock, random, host] = [createSystemClock(), createSystemRandom(), createHostIo()];
  const { KUBERNETES_SERVICE_HOST: serviceHost, KUBERNETES_SERVICE_PORT: servicePort } = env;
  const config = await loadInCluster({ serviceHost, servicePort }, host);
  const logger = createLogger({ clock, level: 'warn', destination: { write: stderr } });
  const cluster = await connectCluster(config, { host, clock, random, logger });
  try {
    await work(cluster);
  } finally {
    await cluster.close();
  }
};
