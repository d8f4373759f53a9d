/** Which simulator a fault is asked of, and in which words. Pure. */
import { FleetError } from '../../base/errors.ts';
import { FAULT_STORIES } from '../../sim/cloud/fault-list.ts';
import { DISPATCH_FAULTS } from '../../sim/dispatch/fault-list.ts';
import { isMacFault, MAC_FAULT_STORIES } from '../../sim/mac/mac-fault-list.ts';
import { HOST_NAMES } from '../cluster/cluster-flags.ts';
import type { Question } from './ask-control.ts';

export interface FaultWish {
  readonly fault: string;
  /** The server that it is to meet. */
  readonly serverId?: string | undefined;
  readonly count?: number;
  readonly verb?: string;
  readonly off: boolean;
  /** Where both have a fault of that name. */
  readonly dispatcher: boolean;
}

export interface FaultPlan {
  readonly at: 'cloud' | 'dispatcher';
  readonly question: Question;
  /** What was done, for the person. */
  readonly says: string;
}

export const planFault = (wish: FaultWish): FaultPlan => {
  const { fault, dispatcher } = wish;
  if (isMacFault(fault) && !dispatcher) return planMacFault(fault, wish);
  const ofCloud = dispatcher ? undefined : storyIn(FAULT_STORIES, fault);
  const ofDispatcher = Object.hasOwn(DISPATCH_FAULTS, fault);
  if (ofCloud === undefined && !ofDispatcher) throw noSuchFault(fault);
  return ofCloud === undefined ? planDispatchFault(wish) : planCloudFault(wish, ofCloud);
};

const storyIn = (stories: Readonly<Record<string, string>>, fault: string): string | undefined =>
  Object.hasOwn(stories, fault) ? stories[fault] : undefined;

const planMacFault = (fault: keyof typeof MAC_FAULT_STORIES, wish: FaultWish): FaultPlan => {
  const { serverId, count, verb, off } = wish;
  if (serverId === undefined) throw noMac(fault);
  if (off)
    throw cannotBe(fault, 'switched off', 'It has happened; watch what comes of it with `macfleet describe host`.');
  if (verb !== undefined) throw cannotBe(fault, 'limited to a verb', 'Leave out --verb: it happens to the Mac itself.');
  const body = { fault, serverId, ...(count === undefined ? {} : { count }) };
  return {
    ...{ at: 'cloud', question: { method: 'POST', path: '/mac-faults', body } },
    says: `${fault} happens to ${serverId}: ${MAC_FAULT_STORIES[fault]}.`,
  };
};

const planCloudFault = ({ fault, serverId, count, verb, off }: FaultWish, story: string): FaultPlan => {
  const scope = { ...(serverId === undefined ? {} : { serverId }), ...(verb === undefined ? {} : { verb }) };
  const body = { fault, ...scope, ...(count === undefined || off ? {} : { count }) };
  return {
    at: 'cloud',
    question: { method: off ? 'DELETE' : 'POST', path: '/faults', body },
    says: say(fault, story, off),
  };
};

const planDispatchFault = ({ fault, serverId, count, verb, off }: FaultWish): FaultPlan => {
  if (serverId !== undefined) throw cannotBe(fault, 'limited to a Mac', 'Leave out --mac: the dispatcher knows none.');
  const { story } = Object.entries<{ readonly story: string }>(DISPATCH_FAULTS).find(([id]) => id === fault)?.[1] ?? {
    story: '',
  };
  const limits = { ...(count === undefined ? {} : { count }), ...(verb === undefined ? {} : { verb }) };
  const body = { fault, ...(off ? {} : limits) };
  return {
    at: 'dispatcher',
    question: { method: off ? 'DELETE' : 'POST', path: '/faults', body },
    says: say(fault, story, off),
  };
};

const say = (fault: string, story: string, off: boolean): string =>
  off ? `${fault} is off. What it has done stays done.` : `${fault} is on: ${story}.`;

const noSuchFault = (fault: string): FleetError =>
  new FleetError('invalid', {
    code: 'NoSuchFault',
    message: `there is no fault "${fault}"`,
    hint: 'Run `macfleet sim fault` without a name for what there is.',
  });

const noMac = (fault: string): FleetError =>
  new FleetError('invalid', {
    code: 'NoMacNamed',
    message: `${fault} happens to one Mac, and none is named`,
    hint: `Name it with --mac: ${HOST_NAMES}.`,
  });

const cannotBe = (fault: string, what: string, hint: string): FleetError =>
  new FleetError('invalid', { code: 'BadFault', message: `${fault} cannot be ${what}`, hint });
