/** The work behind `macfleet version`. A cluster that does not answer is no failure here. */
import { isKind, messageOf } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import type { ClusterFlags, OutputFlags } from '../cluster/cluster-flags.ts';
import { withCluster } from '../cluster/open-cluster.ts';
import type { CliIo } from '../io.ts';
import { print } from '../show/print.ts';

export interface VersionFlags extends ClusterFlags, OutputFlags {
  readonly client: boolean;
}

export const runVersion = async (
  { version, ...flags }: VersionFlags & { readonly version: string },
  io: CliIo,
): Promise<void> => {
  const cluster = flags.client ? undefined : await askCluster(flags, io);
  const data = { macfleet: version, ...cluster };
  const lines = [
    `macfleet    ${version}`,
    ...(cluster?.kubernetes === undefined ? [] : [`Kubernetes  ${cluster.kubernetes}`]),
    ...(cluster?.noCluster === undefined ? [] : [`Kubernetes  unknown: ${cluster.noCluster}`]),
  ];
  io.stdout(await print(flags.output, { data, names: [], table: () => lines.join('\n') }));
};

interface ClusterVersion {
  readonly kubernetes?: string;
  readonly noCluster?: string;
}

const askCluster = async (flags: ClusterFlags, io: CliIo): Promise<ClusterVersion> => {
  try {
    return await withCluster(flags, io, async ({ client }) => {
      const answer = await client.getRaw('/version', { signal: io.signal });
      const version = isRecord(answer) ? answer['gitVersion'] : undefined;
      return typeof version === 'string' ? { kubernetes: version } : { noCluster: 'the server says no version' };
    });
  } catch (error) {
    if (isKind(error, 'bug', 'cancelled')) throw error;
    return { noCluster: messageOf(error) };
  }
};
