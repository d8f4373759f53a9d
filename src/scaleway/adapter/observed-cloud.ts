/** The Cloud port, and somebody who hears how each of its calls ended and what was strange in lists: for metrics. */
import type { ErrorKind } from '../../base/errors.ts';
import { FleetError } from '../../base/errors.ts';
import type { Cloud, CloudServer } from '../port/cloud.ts';

/** What a server of a list lacks. Such a server is seen and never touched. */
export const STRANGENESSES = ['id', 'name', 'project', 'type', 'status', 'os'] as const;

export type Strangeness = (typeof STRANGENESSES)[number];

export interface ListedServers {
  readonly zone: string;
  readonly servers: number;
  /** How many rows of the list lack what; a row may lack several things. */
  readonly strange: Readonly<Record<Strangeness, number>>;
}

export interface CloudObserver {
  called(verb: keyof Cloud, outcome: 'ok' | ErrorKind): void;
  listed(list: ListedServers): void;
}

/** Undefined stands for a row that names no server. */
export const describeList = (zone: string, rows: readonly (CloudServer | undefined)[]): ListedServers => {
  const strange = { id: 0, name: 0, project: 0, type: 0, status: 0, os: 0 };
  for (const row of rows) for (const lack of lacksOf(row)) strange[lack] += 1;
  return { zone, servers: rows.filter((row) => row !== undefined).length, strange };
};

const lacksOf = (row: CloudServer | undefined): readonly Strangeness[] => {
  if (row === undefined) return ['id'];
  const lacks: Readonly<Record<Strangeness, boolean>> = {
    id: false,
    name: row.name === '',
    project: row.projectId === '',
    type: row.type === '',
    status: row.status === 'unknown_status',
    os: row.osFamily === '',
  };
  return STRANGENESSES.filter((strangeness) => lacks[strangeness]);
};

export const observeCloud = (cloud: Cloud, { called }: CloudObserver): Cloud => {
  const told =
    <A extends readonly unknown[], T>(verb: keyof Cloud, act: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      try {
        const result = await act(...args);
        called(verb, 'ok');
        return result;
      } catch (error) {
        called(verb, error instanceof FleetError ? error.kind : 'bug');
        throw error;
      }
    };
  return {
    listServers: told('listServers', cloud.listServers),
    getServer: told('getServer', cloud.getServer),
    listOsImages: told('listOsImages', cloud.listOsImages),
    listServerTypes: told('listServerTypes', cloud.listServerTypes),
    diagnoseServer: told('diagnoseServer', cloud.diagnoseServer),
    renameServer: told('renameServer', cloud.renameServer),
    reinstallServer: told('reinstallServer', cloud.reinstallServer),
    rebootServer: told('rebootServer', cloud.rebootServer),
    orderServer: told('orderServer', cloud.orderServer),
    orderServers: told('orderServers', cloud.orderServers),
    terminateServer: told('terminateServer', cloud.terminateServer),
    scheduleDeletion: told('scheduleDeletion', cloud.scheduleDeletion),
    listSshKeys: told('listSshKeys', cloud.listSshKeys),
    addSshKey: told('addSshKey', cloud.addSshKey),
    deleteSshKey: told('deleteSshKey', cloud.deleteSshKey),
  };
};
