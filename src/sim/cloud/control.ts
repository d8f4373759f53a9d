/**
 * The control of a simulated cloud: its servers as they really are, its faults, its audit and its bill. Pure: one request in,
 * one answer out.
 */
import { z } from 'zod';
import { FleetError } from '../../base/errors.ts';
import {
  type ControlCall,
  type ControlRoute,
  createControl,
  parseControl,
  parsePresent,
} from '../http/control-routes.ts';
import { isMacFault, MAC_FAULT_STORIES, type MacFaultSwitches } from '../mac/mac-fault-list.ts';
import type { CallEntry } from './call-log.ts';
import { FAULT_STORIES } from './fault-list.ts';
import type { SimCloud } from './sim-cloud.ts';
import type { SimServer } from './sim-server.ts';

export interface ControlDeps {
  readonly cloud: SimCloud;
  /** The Mac of a server, where whoever runs the cloud runs Macs too. */
  readonly macOf?: (serverId: string) => MacFaultSwitches;
  /** Writes the state down now; absent when it is kept nowhere. */
  readonly save?: () => void;
}

const SCOPE = {
  verb: z.string().optional(),
  serverId: z.string().optional(),
  when: z.enum(['before', 'after']).optional(),
  count: z.int().min(1).optional(),
  probability: z.number().min(0).max(1).optional(),
};
const FAULT = z.strictObject({ fault: z.string(), ...SCOPE });
const MAC_FAULT = z.strictObject({ fault: z.string(), serverId: z.string(), count: SCOPE.count });
const SWITCHED_OFF = z.strictObject({ fault: z.string(), verb: SCOPE.verb, serverId: SCOPE.serverId });
const NEW_SERVER = z.strictObject({
  name: z.string().min(1),
  type: z.string().optional(),
  osFamily: z.string().optional(),
  status: z.enum(['ready', 'starting']).optional(),
});
const AUDIT = z.strictObject({ only: z.literal('writes').optional(), last: z.coerce.number().int().min(0).optional() });
const AWAY = z.strictObject({ seconds: z.number().min(0) });

const showAudit = ({ deps: { cloud }, query }: ControlCall<ControlDeps>): object => {
  const { only, last } = parseControl(AUDIT, Object.fromEntries(query), 'BadQuery');
  const others = only === 'writes' ? undefined : cloud.otherCalls();
  const calls = [...cloud.audit(), ...(others?.entries ?? [])].toSorted((left, right) => left.number - right.number);
  const shown = last === undefined ? calls : calls.slice(Math.max(calls.length - last, 0));
  return { audit: shown.map(showEntry), ...(others === undefined ? {} : { dropped: others.dropped }) };
};

const strikeMac = ({ deps: { cloud, macOf }, body }: ControlCall<ControlDeps>): object => {
  const { fault, serverId, count = 1 } = parseControl(MAC_FAULT, body);
  if (macOf === undefined) throw noMacs();
  if (!isMacFault(fault)) throw noSuchMacFault(fault);
  if (cloud.server(serverId) === undefined) throw noSuchServer(serverId);
  macOf(serverId)[fault](count);
  return { on: fault, serverId };
};

const ROUTES: readonly ControlRoute<ControlDeps>[] = [
  {
    ...{ method: 'GET', path: '/servers', about: 'the servers as they really are, with their count of wipes' },
    handle: ({ deps: { cloud } }) => ({ servers: cloud.servers().map(showServer) }),
  },
  {
    ...{ method: 'POST', path: '/servers', about: 'adds one: {"name": …, "type"?, "osFamily"?, "status"?}' },
    handle: ({ deps: { cloud }, body }) => showServer(cloud.addServer(parsePresent(parseControl(NEW_SERVER, body)))),
  },
  {
    ...{ method: 'DELETE', path: '/servers/*', about: 'deletes one, as a person in the console' },
    handle: ({ deps: { cloud }, id }) => {
      if (cloud.server(id) === undefined) throw noSuchServer(id);
      cloud.deleteServer(id);
      return { deleted: id };
    },
  },
  {
    ...{ method: 'GET', path: '/faults', about: 'what all faults are, and those that are on' },
    handle: ({ deps: { cloud } }) => ({
      faults: FAULT_STORIES,
      on: cloud
        .faults()
        .map(({ answer: _, left, ...fault }) => ({ ...fault, left: Number.isFinite(left) ? left : null })),
    }),
  },
  {
    ...{
      method: 'POST',
      path: '/faults',
      about: 'switches one on: {"fault": "F05", "verb"?, "serverId"?, "when"?, "count"?, "probability"?}',
    },
    handle: ({ deps: { cloud }, body }) => {
      const { fault, ...scope } = parseControl(FAULT, body);
      cloud.switchOn(fault, parsePresent(scope));
      return { on: fault };
    },
  },
  {
    ...{ method: 'DELETE', path: '/faults', about: 'switches one off: {"fault": "F05", "verb"?, "serverId"?}' },
    handle: ({ deps: { cloud }, body }) => {
      const { fault, ...scope } = parseControl(SWITCHED_OFF, body);
      cloud.switchOff(fault, parsePresent(scope));
      return { off: fault };
    },
  },
  {
    ...{ method: 'GET', path: '/mac-faults', about: 'what can happen to a Mac' },
    handle: ({ deps: { macOf } }) => ({ faults: macOf === undefined ? {} : MAC_FAULT_STORIES }),
  },
  {
    ...{ method: 'POST', path: '/mac-faults', about: 'does it: {"fault": "reboot", "serverId": …, "count"?}' },
    handle: strikeMac,
  },
  {
    ...{
      method: 'GET',
      path: '/audit',
      about: 'every call: all writes, and the latest of all others; ?only=writes, and ?last=20 for the last of them',
    },
    handle: showAudit,
  },
  {
    ...{ method: 'POST', path: '/away', about: 'the API answers nobody for a while: {"seconds": 30}' },
    handle: ({ deps: { cloud }, body }) => {
      const { seconds } = parseControl(AWAY, body);
      cloud.goAway(seconds * 1_000);
      return { awaySeconds: seconds };
    },
  },
  {
    ...{ method: 'POST', path: '/save', about: 'writes the state to its file now' },
    handle: ({ deps: { save } }) => {
      if (save === undefined) throw notKept();
      save();
      return { saved: true };
    },
  },
  {
    ...{ method: 'GET', path: '/bill', about: 'what all servers have cost so far' },
    handle: ({ deps: { cloud } }) => ({ euros: Math.round(cloud.euros() * 100) / 100 }),
  },
];

export const answerControl = createControl(ROUTES);

const showServer = ({ password, ...server }: SimServer): object => ({ ...server, password: password.reveal() });

const showEntry = ({ before, after, ...entry }: CallEntry): object => ({
  ...entry,
  before: before === undefined ? null : showState(before),
  after: after === undefined ? null : showState(after),
});

const showState = ({ name, status, wipes }: SimServer): object => ({ name, status, wipes });

const noSuchServer = (id: string): FleetError =>
  new FleetError('not-found', { code: 'NoSuchServer', message: `there is no server ${id}` });

const noMacs = (): FleetError =>
  new FleetError('invalid', {
    code: 'NoSimulatedMacs',
    message: 'this cloud has servers, and nobody here runs their Macs',
    hint: '`macfleet up` runs both.',
  });

const noSuchMacFault = (fault: string): FleetError =>
  new FleetError('invalid', {
    code: 'NoSuchFault',
    message: `there is no fault "${fault}" of a Mac`,
    hint: `There are: ${Object.keys(MAC_FAULT_STORIES).join(', ')}.`,
  });

const notKept = (): FleetError =>
  new FleetError('invalid', {
    code: 'NoStateFile',
    message: 'the state is kept nowhere',
    hint: 'Start with --state <file>.',
  });
