/** Adapter: the folder in which `up` keeps its state and the kubeconfig. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FleetError, messageOf } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';

export interface DataFolder {
  readonly path: string;
  /** Absent when the state is to be forgotten at the end. */
  readonly databaseFile?: string;
  /** Readable by its owner alone; returns where it is. */
  writeKubeconfig(text: Secret<string>): string;
  /** Where the API server of an earlier run was: the kubeconfigs on Macs name it. */
  readPort(): number | undefined;
  /** The simulated cloud and Macs of an earlier run in this folder. */
  readSimulation(): string | undefined;
  /** Replaces them whole, or not at all. */
  writeSimulation(text: string): void;
  /** Removes what is not to be kept. */
  dispose(): void;
}

export const openDataFolder = (wanted: string | undefined): DataFolder => {
  const path = wanted === undefined ? mkdtempSync(join(tmpdir(), 'macfleet-')) : ensureFolder(wanted);
  const databaseFile = join(path, 'state.sqlite');
  const simulationFile = join(path, 'simulation.json');
  const kubeconfigFile = join(path, 'kubeconfig');
  return {
    path,
    ...(wanted === undefined ? {} : { databaseFile }),
    writeKubeconfig: (text) => {
      writeFileSync(kubeconfigFile, text.reveal(), { mode: 0o600 });
      return kubeconfigFile;
    },
    readPort: () => {
      const text = existsSync(kubeconfigFile) ? readFileSync(kubeconfigFile, 'utf8') : '';
      const [, port] = /^ *server: https:\/\/[^/\s]*:(\d+)$/m.exec(text) ?? [];
      return port === undefined ? undefined : Number(port);
    },
    readSimulation: () => (existsSync(simulationFile) ? readFileSync(simulationFile, 'utf8') : undefined),
    writeSimulation: (text) => {
      writeFileSync(`${simulationFile}.new`, text, { mode: 0o600, flush: true });
      renameSync(`${simulationFile}.new`, simulationFile);
    },
    dispose: () => {
      if (wanted === undefined) rmSync(path, { recursive: true, force: true });
    },
  };
};

const ensureFolder = (path: string): string => {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  } catch (cause) {
    throw new FleetError('invalid', {
      code: 'DataFolderUnusable',
      message: `cannot use ${path} as data folder: ${messageOf(cause)}`,
      hint: 'Name another folder with --data.',
      cause,
    });
  }
};
