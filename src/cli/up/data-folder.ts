/** Adapter: the folder in which `up` keeps its state and the kubeconfig. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FleetError, messageOf, toFleetError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { openSqliteLog } from '../../controlplane/store/sqlite-log.ts';

const DATABASE = 'state.sqlite';

export interface DataFolder {
  readonly path: string;
  /** Whether the simulation of an earlier run is there. */
  readonly hasEarlierRun: boolean;
  /** Absent when the state is to be forgotten at the end. */
  readonly databaseFile?: string;
  readonly kubeconfigFile: string;
  /** Readable by its owner alone; returns where it is. */
  writeKubeconfig(text: Secret<string>): string;
  /** Where the API server of an earlier run was: kubeconfigs that were copied name it. */
  readPort(): number | undefined;
  /** The simulated cloud and Macs of an earlier run in this folder. */
  readSimulation(): string | undefined;
  /** Replaces them whole, or not at all. */
  writeSimulation(text: string): void;
  /** Removes what is not to be kept. */
  dispose(): void;
}

export interface DataWish {
  /** A temporary one without it. */
  readonly data?: string | undefined;
  /** Whether what an earlier run left there is thrown away. */
  readonly clean: boolean;
}

export const openDataFolder = ({ data: wanted, clean }: DataWish): DataFolder => {
  const path = wanted === undefined ? makeTemporary() : ensureFolder(resolve(wanted));
  if (clean) cleanFolder(path);
  const databaseFile = join(path, DATABASE);
  const simulationFile = join(path, 'simulation.json');
  const kubeconfigFile = join(path, 'kubeconfig');
  return {
    ...{ path, kubeconfigFile },
    hasEarlierRun: existsSync(simulationFile),
    ...(wanted === undefined ? {} : { databaseFile }),
    writeKubeconfig: (text) => {
      writeOrSay(path, () => writeFileSync(kubeconfigFile, text.reveal(), { mode: 0o600 }));
      return kubeconfigFile;
    },
    readPort: () => {
      const text = existsSync(kubeconfigFile) ? readFileSync(kubeconfigFile, 'utf8') : '';
      const [, port] = /^ *server: https:\/\/[^/\s]*:(\d+)$/m.exec(text) ?? [];
      return port === undefined ? undefined : Number(port);
    },
    readSimulation: () => (existsSync(simulationFile) ? readFileSync(simulationFile, 'utf8') : undefined),
    writeSimulation: (text) => {
      writeOrSay(path, () => {
        writeFileSync(`${simulationFile}.new`, text, { mode: 0o600, flush: true });
        renameSync(`${simulationFile}.new`, simulationFile);
      });
    },
    dispose: () => {
      if (wanted === undefined) rmSync(path, { recursive: true, force: true });
    },
  };
};

/** Whether a run in that folder left something that a later one goes on with. */
export const holdsFleet = (data: string): boolean => existsSync(join(resolve(data), DATABASE));

const unusable = (path: string, cause: unknown): FleetError =>
  new FleetError('invalid', {
    code: 'DataFolderUnusable',
    message: `cannot use ${path} as data folder: ${messageOf(cause)}`,
    hint: 'Name another folder with --data: one that you may write to, with some room.',
    cause,
  });

const writeOrSay = <T>(path: string, write: () => T): T => {
  try {
    return write();
  } catch (cause) {
    throw unusable(path, cause);
  }
};

const makeTemporary = (): string => writeOrSay(tmpdir(), () => mkdtempSync(join(tmpdir(), 'macfleet-')));

/** Tried now: what cannot be written would otherwise be found in the middle of something. */
const ensureFolder = (path: string): string =>
  writeOrSay(path, () => {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const probe = join(path, '.probe');
    writeFileSync(probe, '');
    rmSync(probe);
    return path;
  });

/** What `up` makes there, and nothing else that may lie in the folder. */
const OWN_FILES = [DATABASE, `${DATABASE}-wal`, `${DATABASE}-shm`, 'simulation.json', 'kubeconfig'];

const cleanFolder = (path: string): void => {
  refuseInUse(join(path, DATABASE));
  writeOrSay(path, () => {
    for (const file of OWN_FILES) rmSync(join(path, file), { force: true });
  });
};

/** Whoever has it open would go on with files that nobody sees; one that is damaged may be thrown away. */
const refuseInUse = (databaseFile: string): void => {
  if (!existsSync(databaseFile)) return;
  try {
    openSqliteLog(databaseFile).close();
  } catch (error) {
    if (toFleetError(error).code === 'StoreInUse') throw error;
  }
};
