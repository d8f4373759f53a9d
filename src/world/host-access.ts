/** The way to Macs over SSH as an operator configured it: what is put on them, and where they answer. */
import type { Clock } from '../base/clock.ts';
import { FleetError, toFleetError } from '../base/errors.ts';
import type { HostPreparerDeps } from '../hosts/host-preparer.ts';
import type { Artefact, Hosts } from '../hosts/port.ts';
import { openArtefact } from '../hosts/program/artefact-files.ts';
import { readStepFiles } from '../hosts/program/step-files.ts';
import { DEFAULT_SSH_TIMES } from '../hosts/ssh/ssh-connection.ts';
import { createSshHosts } from '../hosts/ssh/ssh-hosts.ts';

export type ArtefactName = 'tart' | 'node' | 'agent';

export interface HostAccessOptions {
  readonly sshPort: number;
  /** Files that are put on Macs, by the name of the artefact. */
  readonly artefactPaths: Readonly<Record<ArtefactName, string>>;
  /** Inputs of steps that are the same for every Mac. */
  readonly stepInputs: Readonly<Record<string, string>>;
}

export type HostAccess = Omit<HostPreparerDeps, 'clock'>;

/** The flags that name them. */
const FLAGS: Readonly<Record<ArtefactName, string>> = {
  tart: '--tart-tarball-path',
  node: '--tartkubelet-runtime-path',
  agent: '--tartkubelet-bundle-path',
};

/** Rejects with `invalid` when a file for Macs cannot be read. */
export const openHostAccess = async (
  { artefactPaths, sshPort, stepInputs }: HostAccessOptions,
  clock: Clock,
  signal: AbortSignal,
): Promise<HostAccess> => {
  const files = readStepFiles();
  const open = (name: ArtefactName): Promise<Artefact> => openNamed(name, artefactPaths[name], signal);
  const [tart, node, agent] = await Promise.all([open('tart'), open('node'), open('agent')]);
  return {
    hosts: atPort(createSshHosts({ clock, ...DEFAULT_SSH_TIMES, files }), sshPort),
    ...{ files, artefacts: { tart, node, agent }, inputs: stepInputs },
  };
};

const openNamed = async (name: ArtefactName, path: string, signal: AbortSignal): Promise<Artefact> => {
  try {
    return await openArtefact(name, path, signal);
  } catch (thrown) {
    const { kind, code, message, details } = toFleetError(thrown);
    const hint = `Say where it is with ${FLAGS[name]}; nothing can be put on Macs without it.`;
    throw new FleetError(kind, { code, message, hint, details, cause: thrown });
  }
};

const atPort = (hosts: Hosts, port: number): Hosts => ({
  open: (target, signal) => hosts.open({ port, ...target }, signal),
});
