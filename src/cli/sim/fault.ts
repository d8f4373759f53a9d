/** The work behind `macfleet sim fault`: something goes wrong in a simulation, and the person watches it heal. Loaded only when it runs. */
import { FleetError } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import type { ClusterFlags } from '../cluster/cluster-flags.ts';
import { findHost } from '../cluster/find-object.ts';
import { withCluster } from '../cluster/open-cluster.ts';
import type { CliIo } from '../io.ts';
import { lookOf } from '../show/look.ts';
import { type Column, renderTable } from '../show/table.ts';
import { type AskControl, createAskControl } from './ask-control.ts';
import { type FaultWish, planFault } from './plan-fault.ts';
import { type Controls, findControls } from './simulation-map.ts';

export interface SimFaultFlags extends ClusterFlags, Omit<FaultWish, 'fault' | 'serverId'> {
  readonly fault?: string | undefined;
  /** As a person calls it. */
  readonly mac?: string;
  /** Of a simulator that is on its own. */
  readonly control?: string;
}

export const runSimFault = async (flags: SimFaultFlags, io: CliIo): Promise<void> => {
  const { control, mac, dispatcher } = flags;
  const ask = createAskControl(io.signal);
  if (control !== undefined) {
    const controls = dispatcher ? { dispatcher: parseUrl(control) } : { cloud: parseUrl(control) };
    return actOrList({ flags, controls, serverId: mac }, ask, io);
  }
  return withCluster(flags, io, async ({ client, source }) => {
    const controls = await findControls(client, source, io.signal);
    const host = mac === undefined ? undefined : await findHost(mac, { client, signal: io.signal });
    await actOrList({ flags, controls, serverId: host?.metadata.name }, ask, io);
  });
};

const parseUrl = (text: string): string => {
  if (/^http:\/\//.test(text) && URL.canParse(text)) return text;
  throw new FleetError('invalid', {
    code: 'BadControlUrl',
    message: `"${text}" is no address of a control`,
    hint: 'Write it as it was printed: http://127.0.0.1:4000.',
  });
};

interface Asked {
  readonly flags: SimFaultFlags;
  readonly controls: Controls;
  readonly serverId: string | undefined;
}

const actOrList = async ({ flags, controls, serverId }: Asked, ask: AskControl, io: CliIo): Promise<void> => {
  const { fault } = flags;
  if (fault === undefined) {
    io.stdout(await list(controls, ask, io));
    return;
  }
  const { at, question, says } = planFault({ ...flags, fault, serverId });
  const url = controls[at];
  if (url === undefined) throw notThere(at);
  await ask(url, question);
  io.stdout(`${says}\n`);
};

const notThere = (at: 'cloud' | 'dispatcher'): FleetError =>
  new FleetError('not-found', {
    code: 'NoSuchSimulator',
    message: `there is no simulated ${at} behind this cluster`,
    hint:
      at === 'cloud'
        ? 'The provider of this `up` is elsewhere, and so are its Macs.'
        : 'Start `macfleet up` with the fleet runners.',
  });

interface FaultRow {
  readonly fault: string;
  readonly of: string;
  readonly on: string;
  readonly story: string;
}

const COLUMNS: readonly Column<FaultRow>[] = [
  { header: 'FAULT', cell: ({ fault }) => fault },
  { header: 'OF', cell: ({ of }) => of, drop: 1 },
  { header: 'ON', cell: ({ on }) => on },
  { header: 'WHAT HAPPENS', cell: ({ story }) => story },
];

const list = async ({ cloud, dispatcher }: Controls, ask: AskControl, io: CliIo): Promise<string> => {
  const look = async (url: string | undefined, path: string, of: string): Promise<readonly FaultRow[]> =>
    url === undefined ? [] : toRows(await ask(url, { method: 'GET', path }), of);
  const rows = await Promise.all([
    look(cloud, '/mac-faults', 'a Mac'),
    look(cloud, '/faults', 'the cloud'),
    look(dispatcher, '/faults', 'the dispatcher'),
  ]);
  return `${renderTable(COLUMNS, rows.flat(), { look: lookOf(io) })}\n`;
};

const toRows = ({ faults, on }: Readonly<Record<string, unknown>>, of: string): readonly FaultRow[] => {
  const switched = (Array.isArray(on) ? on : []).flatMap((one: unknown) => (isRecord(one) ? [String(one['id'])] : []));
  return Object.entries(isRecord(faults) ? faults : {}).map(([fault, story]) => ({
    ...{ fault, of, story: String(story) },
    on: switched.includes(fault) ? 'on' : '-',
  }));
};
