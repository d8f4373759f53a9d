/** Adapter: the folder in which `up` keeps its state and the kubeconfig. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
  /** Removes what is not to be kept. */
  dispose(): void;
}

export const openDataFolder = (wanted: string | undefined): DataFolder => {
  const path = wanted === undefined ? mkdtempSync(join(tmpdir(), 'macfleet-')) : ensureFolder(wanted);
  const databaseFile = join(path, 'state.sqlite');
  if (existsSync(databaseFile)) throw fromEarlierRun(path);
  return {
    path,
    ...(wanted === undefined ? {} : { databaseFile }),
    writeKubeconfig: (text) => {
      const file = join(path, 'kubeconfig');
      writeFileSync(file, text.reveal(), { mode: 0o600 });
      return file;
    },
    dispose: () => {
      if (wanted === undefined) rmSync(path, { recursive: true, force: true });
    },
  };
};

/** Objects are kept, simulated Macs are not yet: together they would tell a story that never happened. */
const fromEarlierRun = (path: string): FleetError =>
  new FleetError('invalid', {
    code: 'DataOfEarlierRun',
    message: `${path} holds the objects of an earlier run, whose simulated Macs are gone`,
    hint: 'Name a new folder with --data, or remove this one. Going on where a run ended is not built yet.',
  });

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
