import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HostPlan } from './host-view.ts';
import { planHost } from './plan-host.ts';
import {
  at,
  CLAIMED,
  fresh,
  type Given,
  POOL,
  QUARANTINE,
  quietly,
  renaming,
  serverOf,
  store,
  UUID,
  viewOf,
  wrote,
} from './testing/views.ts';

interface Row extends Given {
  readonly story: string;
  readonly plan: HostPlan;
}

const failing = (failures: number, lastError = 'StepFailed', more: object = {}) => ({
  ...CLAIMED,
  budgets: { bootstrap: { failures, lastError }, ...more },
});
const budgets = (failures: number, reboots: object, lastError = 'StepFailed') => ({
  bootstrap: { failures, lastError },
  reboots,
  returns: 0,
  sudo: { tries: [] },
  roll: { failures: 0 },
});
const released = (reason: string, message: string): HostPlan =>
  store({ release: { intentID: UUID, policy: 'pool', reason, message, requestedAt: at(0), by: 'macfleet' } });
const ALIVE = { isHealthy: false, isServerAlive: true, isSshPortUp: false };
const rebooting = { sinceClaim: 1, times: [at(0)] };
const yesterday = [at(80_000_000), at(3_000_000), at(2_000_000), at(1_000_000)];

const WIDESPREAD = {
  reason: 'RecoveryHalted',
  message: 'many Macs that worked are not ready: that is not the Macs, and none is rebooted or wiped',
};
const LIMITED = {
  reason: 'ReinstallLimitReached',
  message:
    'within the hour as many wipes of this pool were asked for as may be (30): none is rebooted, wiped or changed',
};

const ROWS: readonly Row[] = [
  {
    story: 'T-28 before the third failure it is only tried again',
    spec: failing(2),
    server: serverOf('mac-1'),
    plan: { do: 'prepare' },
  },
  {
    story: '000-4 T-29 after the third the one reboot is stored, and with it counted (F04)',
    spec: failing(3),
    server: serverOf('mac-1'),
    plan: store({ lastWrite: fresh('reboot'), budgets: budgets(3, rebooting) }),
  },
  {
    story: 'F39 a reboot unlocks the account: what was tried without an answer may be tried again, a refusal counts on',
    spec: failing(3, 'StepFailed', {
      sudo: {
        tries: [
          { value: 'a', at: at(9), outcome: 'refused' },
          { value: 'b', at: at(8), outcome: 'sent' },
        ],
      },
    }),
    server: serverOf('mac-1'),
    plan: store({
      lastWrite: fresh('reboot'),
      budgets: { ...budgets(3, rebooting), sudo: { tries: [{ value: 'a', at: at(9), outcome: 'refused' }] } },
    }),
  },
  {
    story: 'the process that stored it sends it',
    spec: { ...failing(3, 'StepFailed', { reboots: rebooting }), lastWrite: wrote('reboot', 0) },
    server: serverOf('mac-1'),
    isUnsent: true,
    plan: { do: 'reboot' },
  },
  {
    story: 'F04 S12 after a crash nobody sends it: it counts as done',
    spec: { ...failing(3, 'StepFailed', { reboots: rebooting }), lastWrite: wrote('reboot', 0) },
    server: serverOf('mac-1'),
    plan: { do: 'prepare' },
  },
  {
    story: 'a reboot under way is waited for',
    spec: { ...failing(3, 'StepFailed', { reboots: rebooting }), lastWrite: wrote('reboot', 9_000) },
    server: serverOf('mac-1', 'rebooting'),
    plan: { do: 'wait', afterMs: 10_000 },
  },
  {
    story: 'F10 one that was refused is not asked for again at once: the Mac is only tried again',
    spec: { ...failing(3), lastWrite: wrote('reboot', 599_000) },
    server: serverOf('mac-1'),
    plan: { do: 'prepare' },
  },
  {
    story: 'F10 it is after a while: what refused it may be over',
    spec: { ...failing(3), lastWrite: wrote('reboot', 600_000) },
    server: serverOf('mac-1'),
    plan: store({ lastWrite: fresh('reboot'), budgets: budgets(3, rebooting) }),
  },
  {
    story: 'S12 not a fifth reboot within a day',
    spec: failing(3, 'StepFailed', { reboots: { sinceClaim: 0, times: yesterday } }),
    server: serverOf('mac-1'),
    plan: { do: 'prepare' },
  },
  {
    story: '000-6 T-36 a reboot after 0 failures means none',
    spec: failing(5),
    server: serverOf('mac-1'),
    limits: { rebootAfter: 0, releaseAfter: 8, reinstallsPerHour: 30 },
    plan: { do: 'prepare' },
  },
  {
    story: '000-4 another Mac at once where Scaleway says that only a new installation helps',
    spec: failing(3),
    server: serverOf('mac-1'),
    diagnosis: { ...ALIVE, supportedActions: ['reinstall_server'] },
    plan: released('BootstrapExhausted', 'gave the Mac back after 3 failed attempts, the last with StepFailed'),
  },
  {
    story: '000-4 nothing but another try where Scaleway knows no help',
    spec: failing(3),
    server: serverOf('mac-1'),
    diagnosis: { ...ALIVE, supportedActions: [] },
    plan: { do: 'prepare' },
  },
  {
    story: '000-4 a reboot where Scaleway says that it helps',
    spec: failing(3),
    server: serverOf('mac-1'),
    diagnosis: { ...ALIVE, supportedActions: ['reboot_server', 'reinstall_server'] },
    plan: store({ lastWrite: fresh('reboot'), budgets: budgets(3, rebooting) }),
  },
  {
    story: 'F39 F40 a reboot where Scaleway sees nothing wrong: it keeps us out, not them',
    spec: failing(3, 'HostUnreachable'),
    server: serverOf('mac-1'),
    diagnosis: { isHealthy: true, isServerAlive: true, isSshPortUp: true, supportedActions: [] },
    plan: store({ lastWrite: fresh('reboot'), budgets: budgets(3, rebooting, 'HostUnreachable') }),
  },
  {
    story: '000-5 after the eighth failure it goes back',
    spec: failing(8, 'StepFailed', { reboots: rebooting }),
    server: serverOf('mac-1'),
    plan: released('BootstrapExhausted', 'gave the Mac back after 8 failed attempts, the last with StepFailed'),
  },
  {
    story: '000-5 giving back comes before a reboot that was never possible',
    spec: failing(8),
    server: serverOf('mac-1'),
    plan: released('BootstrapExhausted', 'gave the Mac back after 8 failed attempts, the last with StepFailed'),
  },
  {
    story: '000-6 T-36 with 0 it never does',
    spec: failing(80, 'StepFailed', { reboots: rebooting }),
    server: serverOf('mac-1'),
    limits: { rebootAfter: 3, releaseAfter: 0, reinstallsPerHour: 30 },
    plan: { do: 'prepare' },
  },
  {
    story: 'F41 a Mac that does not know our key is not rebooted, but goes back sooner',
    spec: failing(3, 'AuthenticationFailed'),
    server: serverOf('mac-1'),
    plan: released(
      'BootstrapExhausted',
      'gave the Mac back after 3 failed attempts, the last with AuthenticationFailed',
    ),
  },
  {
    story: '001-4 nor does it to one that was installed before there was the key: it goes back without blame',
    spec: failing(3, 'FleetKeyMissing'),
    server: serverOf('mac-1'),
    plan: released('FleetKeyMissing', 'gave the Mac back after 3 failed attempts, the last with FleetKeyMissing'),
  },
  {
    story: 'R9 a Mac with the marks of another claim goes back at once',
    spec: failing(1, 'NotWiped'),
    server: serverOf('mac-1'),
    plan: released('NotWiped', 'gave the Mac back after 1 failed attempts, the last with NotWiped'),
  },
  {
    story: 'F38 so does one whose host key changed',
    spec: failing(1, 'HostKeyChanged'),
    server: serverOf('mac-1'),
    plan: released('HostKeyChanged', 'gave the Mac back after 1 failed attempts, the last with HostKeyChanged'),
  },
  {
    story: '000-6 T-35 a Mac without a pool has nowhere to go back to',
    spec: { pool: undefined, ...failing(8) },
    server: serverOf('mac-1'),
    plan: { do: 'report', message: 'it failed 8 times (StepFailed), and has no pool to go back to' },
  },
  {
    story: 'R25 000-5 a rented Mac past its budget is given up, and not put into any pool',
    spec: { pool: undefined, ordered: true, ...failing(8) },
    server: serverOf('mac-1'),
    plan: store({
      release: {
        ...{ intentID: UUID, policy: 'terminate', reason: 'BootstrapExhausted', requestedAt: at(0), by: 'macfleet' },
        message: 'gave the Mac back after 8 failed attempts, the last with StepFailed',
      },
    }),
  },
  {
    story: 'R21 with a third of the pool in quarantine recovery halts',
    spec: failing(8),
    server: serverOf('mac-1'),
    census: { size: 9, quarantined: 3 },
    plan: {
      do: 'report',
      reason: 'RecoveryHalted',
      message:
        'a third of the pool is in quarantine: that is not the Macs. Nothing is rebooted or wiped until it is less',
    },
  },
  {
    story: 'R21 nor is anything rebooted then',
    spec: failing(3),
    server: serverOf('mac-1'),
    census: { size: 9, quarantined: 3 },
    plan: {
      do: 'report',
      reason: 'RecoveryHalted',
      message:
        'a third of the pool is in quarantine: that is not the Macs. Nothing is rebooted or wiped until it is less',
    },
  },
  {
    story: 'R21 W-13 with more than a third of the Macs silent it is only tried again, however often it failed',
    spec: failing(9),
    server: serverOf('mac-1'),
    isProvisioned: true,
    census: { silences: [{ working: 5, silent: 2 }] },
    plan: { do: 'prepare', halted: WIDESPREAD },
  },
  {
    story: 'R21 nor is it rebooted then, be it that of all pools together',
    spec: failing(3),
    server: serverOf('mac-1'),
    census: {
      silences: [
        { working: 1, silent: 1 },
        { working: 8, silent: 3 },
      ],
    },
    plan: { do: 'prepare', halted: WIDESPREAD },
  },
  {
    story: 'R21 one that is silent alone may be at fault itself, also in a small pool',
    spec: failing(3),
    server: serverOf('mac-1'),
    isProvisioned: true,
    census: { silences: [{ working: 1, silent: 1 }] },
    plan: store({ lastWrite: fresh('reboot'), budgets: budgets(3, rebooting) }),
  },
  {
    story: 'R21 so may a third',
    spec: failing(3),
    server: serverOf('mac-1'),
    isProvisioned: true,
    census: { silences: [{ working: 6, silent: 2 }] },
    plan: store({ lastWrite: fresh('reboot'), budgets: budgets(3, rebooting) }),
  },
  {
    story: 'R20 past the limit of wipes nothing is rebooted: it is only tried again, and says so',
    spec: failing(3),
    server: serverOf('mac-1'),
    census: { wipedLastHour: 30 },
    plan: { do: 'prepare', halted: LIMITED },
  },
  {
    story: 'R20 R22 nor is a machine asked to be replaced',
    spec: failing(8),
    server: serverOf('mac-1'),
    isProvisioned: true,
    census: { wipedLastHour: 31 },
    plan: { do: 'prepare', halted: LIMITED },
  },
  {
    story: 'R22 once its machine was provisioned, the machine is replaced',
    spec: failing(8),
    server: serverOf('mac-1'),
    isProvisioned: true,
    plan: {
      do: 'report',
      reason: 'ReplacementNeeded',
      message: 'it failed 8 times (StepFailed): its Machine is to be replaced',
    },
  },
  {
    story: 'R24 a reboot that a person asks for leaves the record with the intent',
    spec: { ...CLAIMED, rebootRequest: { id: 'r-1', by: 'ann' } },
    server: serverOf('mac-1'),
    node: 'there',
    plan: store({
      rebootRequest: undefined,
      lastWrite: fresh('reboot'),
      budgets: {
        bootstrap: { failures: 0 },
        reboots: { sinceClaim: 0, times: [at(0)] },
        returns: 0,
        sudo: { tries: [] },
        roll: { failures: 0 },
      },
    }),
  },
  {
    story: 'R24 S12 not even a person gets a fifth within a day',
    spec: { ...CLAIMED, rebootRequest: { id: 'r-1' }, budgets: { reboots: { times: yesterday } } },
    server: serverOf('mac-1'),
    node: 'there',
    plan: {
      do: 'wait',
      afterMs: 60_000,
      message: 'a reboot was asked for, but it was rebooted 4 times within a day',
    },
  },
  {
    story: 'R21 a Mac in quarantine gets a name that no pool knows',
    spec: { quarantine: { reason: 'BootstrapExhausted', since: at(0), configHash: 'config-1' } },
    server: serverOf(POOL),
    owner: 'gone',
    plan: renaming(POOL, `tuist-quarantine-0a1b2c3d-${UUID}`),
  },
  {
    story: 'R21 and stays there with the configuration it failed with',
    spec: {
      quarantine: { reason: 'BootstrapExhausted', since: at(0), configHash: 'config-1' },
      assignedName: { current: QUARANTINE },
    },
    server: serverOf(QUARANTINE),
    owner: 'gone',
    plan: { do: 'rest' },
  },
  {
    story: 'R21 a new configuration earns it another try',
    spec: {
      quarantine: { reason: 'BootstrapExhausted', since: at(0), configHash: 'config-0' },
      assignedName: { current: QUARANTINE },
    },
    server: serverOf(QUARANTINE),
    owner: 'gone',
    plan: released('NewConfiguration', 'there is another host configuration than the one it failed with'),
  },
];

describe('what helps a Mac that keeps failing', () => {
  for (const { story, plan, ...view } of ROWS) it(story, () => assert.deepEqual(quietly(planHost(viewOf(view))), plan));
});
