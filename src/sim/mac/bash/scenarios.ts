/** Prepared situations of a Mac with real bash: what production met, as data. Each names the fault or the incident it replays. */
import { FleetError } from '../../../base/errors.ts';
import { encodeKcpassword, SEALED_PASSWORD } from '../../../macos/kcpassword.ts';
import { PAM_LOCKS_AT } from '../model/accounts.ts';
import { ADDRESSES_MAX } from '../model/hypervisor.ts';
import { LOGIN_KEYCHAIN, renderKeychain } from '../model/keychain.ts';
import { BTM_REGISTRATIONS_MAX } from '../model/launchd.ts';
import { renderPlist } from '../model/plist.ts';
import { STOCK_PF_CONF } from './fresh-disk.ts';
import { isMacScenario, MAC_SCENARIO_STORIES, type MacScenarioName } from './scenario-stories.ts';

export interface MacScenario extends Situation {
  readonly name: string;
  /** For a person. */
  readonly about: string;
}

interface Situation {
  /** Rows of the fault list, or incidents. */
  readonly replays: readonly string[];
  /** Root's, with this content. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Tables that stayed behind in pf, by scope; the main ruleset's is the empty one. */
  readonly leftTables?: Readonly<Record<string, readonly string[]>>;
  /** How often each launchd job was registered since the boot. */
  readonly registrations?: number;
  readonly wrongPasswords?: number;
  readonly loginWindow?: 'dead';
  /** Port 22 takes no connection from the Mac itself any more: its backlog is full. */
  readonly sshd?: 'stuck';
  readonly clockSkewMs?: number;
  readonly localNetwork?: 'blocked';
  readonly uplink?: 'broken';
  /** So many virtual machines were started just now. */
  readonly machinesStarted?: number;
  /** No key opens it. */
  readonly keys?: 'forgotten';
  /** Folders that cannot be written, from the next boot on. */
  readonly readOnly?: readonly string[];
  /** Folders without room, from the next boot on. */
  readonly full?: readonly string[];
}

const OURS = `anchor "tuist.runners"
load anchor "tuist.runners" from "/etc/pf.anchors/tuist.runners"
`;
const MARKED = `# BEGIN tuist.runners\n${OURS}# END tuist.runners\n`;
const OLD_ANCHOR = `table <vm_sources> persist { 192.168.64.0/22 }
table <blocked_dst> persist { 10.0.0.0/8, 172.16.0.0/12, 169.254.0.0/16 }
block drop out quick from <vm_sources> to <blocked_dst>
`;
const TABLES = ['vm_sources', 'blocked_dst'];

/** The job that the original's launchd had, with its own agent. */
const OLD_AGENT_JOB = renderPlist({
  Label: 'dev.tuist.tart-kubelet',
  UserName: 'm1',
  ProgramArguments: ['/usr/local/bin/tart-kubelet', '--node-name=old', '--kubeconfig=/etc/tart-kubelet/kubeconfig'],
  RunAtLoad: true,
  KeepAlive: true,
  ThrottleInterval: 10,
  StandardOutPath: '/var/log/tart-kubelet.log',
  StandardErrorPath: '/var/log/tart-kubelet.log',
});

const LOGS_IN = renderPlist({ autoLoginUser: 'm1' });

const SITUATIONS: Readonly<Record<MacScenarioName, Situation>> = {
  'pf-wedged': {
    replays: ['F46', 'F47', 'I-06', 'I-08'],
    files: { '/etc/pf.conf': `${STOCK_PF_CONF}${OURS}${MARKED}`, '/etc/pf.anchors/tuist.runners': OLD_ANCHOR },
    leftTables: { '': TABLES, 'tuist.runners': TABLES },
  },
  sealed: {
    replays: ['F42', 'I-09'],
    files: {
      '/etc/kcpassword': encodeKcpassword(SEALED_PASSWORD),
      '/Library/Preferences/com.apple.loginwindow.plist': LOGS_IN,
    },
  },
  'loginwindow-dead': {
    replays: ['F43', 'I-10'],
    loginWindow: 'dead',
  },
  'btm-throttled': {
    replays: ['F48', 'I-12'],
    registrations: BTM_REGISTRATIONS_MAX,
  },
  'account-locked': {
    replays: ['F39', 'I-13'],
    wrongPasswords: PAM_LOCKS_AT,
  },
  'keys-forgotten': {
    replays: ['F41'],
    keys: 'forgotten',
  },
  'sshd-stuck': {
    replays: ['F34'],
    sshd: 'stuck',
  },
  'clock-behind': {
    replays: ['F53'],
    clockSkewMs: -10_800_000,
  },
  'disk-full': {
    replays: ['F51'],
    full: ['/Users/m1/.macfleet', '/usr/local'],
  },
  'keychain-closed': {
    replays: ['F44'],
    files: { [LOGIN_KEYCHAIN]: renderKeychain('a former password') },
  },
  'local-network-blocked': {
    replays: ['F45', 'I-33'],
    localNetwork: 'blocked',
  },
  'cache-volume-read-only': {
    replays: ['F52'],
    readOnly: ['/Volumes/tuist-runner-cache'],
  },
  'uplink-broken': {
    replays: ['F56'],
    uplink: 'broken',
  },
  'addresses-gone': {
    replays: ['F57'],
    machinesStarted: ADDRESSES_MAX,
  },
  'read-only-etc': {
    replays: [],
    readOnly: ['/private/etc'],
  },
  'go-fleet-leftovers': {
    replays: ['I-06', 'I-08', 'I-22', 'I-31'],
    files: {
      '/etc/sudoers.d/m1-nopasswd': 'm1 ALL=(ALL) NOPASSWD: ALL\n',
      '/etc/pf.conf': `${STOCK_PF_CONF}# Tuist runner VM egress\n${OURS}${MARKED}`,
      '/etc/pf.anchors/tuist.runners': OLD_ANCHOR,
      '/var/log/tart-kubelet.log': '',
      '/etc/tart-kubelet/kubeconfig': 'apiVersion: v1\nkind: Config\n',
      '/usr/local/bin/tart-kubelet': '#!/bin/sh\nexec sleep 1000000000\n',
      '/Library/LaunchDaemons/dev.tuist.tart-kubelet.plist': OLD_AGENT_JOB,
      '/Library/LaunchDaemons/dev.tuist.pfctl-runners.plist': renderPlist({
        Label: 'dev.tuist.pfctl-runners',
        ProgramArguments: ['/sbin/pfctl', '-f', '/etc/pf.conf', '-E'],
        RunAtLoad: true,
        StandardErrorPath: '/var/log/tuist-pfctl-runners.log',
      }),
    },
    leftTables: { '': TABLES, 'tuist.runners': TABLES },
  },
};

export const findMacScenario = (name: string): MacScenario => {
  if (isMacScenario(name)) return { name, about: MAC_SCENARIO_STORIES[name], ...SITUATIONS[name] };
  throw new FleetError('invalid', {
    code: 'NoSuchScenario',
    message: `there is no scenario "${name}" of a Mac`,
    hint: `There are: ${Object.keys(MAC_SCENARIO_STORIES).join(', ')}.`,
  });
};

export const MAC_SCENARIOS: readonly MacScenario[] = Object.keys(MAC_SCENARIO_STORIES).map(findMacScenario);
