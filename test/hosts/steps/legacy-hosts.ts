/**
 * Macs as the Go original left them, by the time of its last push (provider history: I-06, I-08, I-22, I-31), and as people
 * leave them. Data: files, and commands that bring what is in memory.
 */
import { encodeKcpassword, SEALED_PASSWORD } from '../../../src/macos/kcpassword.ts';
import { STOCK_PF_CONF } from '../../../src/sim/mac/bash/fresh-disk.ts';
import { renderMacProgram } from '../../../src/sim/mac/model/signatures.ts';
import { PASSWORD } from '../mac/stage.ts';

export interface LegacyHost {
  readonly story: string;
  readonly files: Readonly<Record<string, LegacyFile>>;
  /** As root, in this order. */
  readonly commands: readonly string[];
}

export interface LegacyFile {
  readonly content: string | Uint8Array;
  readonly mode?: number;
}

const ANCHOR_LINES = `anchor "tuist.runners"
load anchor "tuist.runners" from "/etc/pf.anchors/tuist.runners"
`;
const UNMARKED = `\n# Tuist runner VM egress filter\n${ANCHOR_LINES}`;
const MARKED = `# BEGIN tuist.runners\n${ANCHOR_LINES}# END tuist.runners\n`;
const anchor = (kept: string): string => `table <vm_sources>${kept} { 192.168.64.0/22 }
table <blocked_dst>${kept} { 10.0.0.0/8, 172.16.0.0/12, 169.254.0.0/16 }
block drop out quick from <vm_sources> to <blocked_dst>
`;

const job = (label: string, words: readonly string[], more = ''): LegacyFile => ({
  content: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>Label</key><string>${label}</string>
<key>ProgramArguments</key><array>${words.map((word) => `<string>${word}</string>`).join('')}</array>
<key>RunAtLoad</key><true/>${more}
</dict></plist>
`,
});

const DAEMONS = '/Library/LaunchDaemons';
const LOADED = (label: string): string => `launchctl bootstrap system ${DAEMONS}/${label}.plist`;

const COMMON: LegacyHost['files'] = {
  '/etc/sudoers.d/m1-nopasswd': { content: 'm1 ALL=(ALL) NOPASSWD: ALL\n', mode: 0o440 },
  '/etc/tart-kubelet/kubeconfig': { content: 'kind: Config\nusers: [{user: {token: never-expires}}]\n', mode: 0o600 },
  [`${DAEMONS}/dev.tuist.pfctl-runners.plist`]: job('dev.tuist.pfctl-runners', [
    '/sbin/pfctl',
    '-f',
    '/etc/pf.conf',
    '-E',
  ]),
  [`${DAEMONS}/dev.tuist.tart-kubelet.plist`]: job(
    'dev.tuist.tart-kubelet',
    ['/usr/local/bin/tart-kubelet', '--node-name=runner-1'],
    '<key>KeepAlive</key><true/>',
  ),
  '/usr/local/lib/tart.app/Contents/MacOS/tart': {
    content: renderMacProgram({ kind: 'tart', version: '2.20.0', signature: 'signed' }),
    mode: 0o755,
  },
  '/usr/local/bin/tart': { content: '#!/bin/sh\nexec /usr/local/lib/tart.app/Contents/MacOS/tart "$@"\n', mode: 0o755 },
};

const LOGIN = [
  'defaults write /Library/Preferences/com.apple.loginwindow autoLoginUser m1',
  'launchctl kickstart -k system/com.apple.loginwindow',
];

export const LEGACY_HOSTS: readonly LegacyHost[] = [
  { story: 'a Mac as delivered', files: {}, commands: [] },
  {
    story: 'a host of May: tables that stay, the block twice, an agent that macOS kills, a dead loginwindow',
    files: {
      ...COMMON,
      '/etc/pf.conf': { content: `${STOCK_PF_CONF}${UNMARKED}${UNMARKED}` },
      '/etc/pf.anchors/tuist.runners': { content: anchor(' persist') },
      '/etc/kcpassword': { content: encodeKcpassword(PASSWORD), mode: 0o600 },
      '/usr/local/bin/tart-kubelet': {
        content: renderMacProgram({ kind: 'node', version: 'go', signature: 'unsigned' }),
        mode: 0o755,
      },
    },
    commands: [
      'pfctl -a tuist.runners -f /etc/pf.anchors/tuist.runners',
      'pfctl -t vm_sources -T add 192.168.64.0/22',
      LOADED('dev.tuist.tart-kubelet'),
      ...LOGIN,
      'killall -HUP loginwindow',
    ],
  },
  {
    story: 'a host of May whose password macOS sealed',
    files: {
      ...COMMON,
      '/etc/pf.conf': { content: `${STOCK_PF_CONF}${UNMARKED}` },
      '/etc/kcpassword': { content: encodeKcpassword(SEALED_PASSWORD), mode: 0o600 },
    },
    commands: LOGIN,
  },
  {
    story: 'a host of August: both blocks, the job that loads everything, a session that lives',
    files: {
      ...COMMON,
      '/etc/pf.conf': { content: `${STOCK_PF_CONF}${UNMARKED}${MARKED}` },
      '/etc/pf.anchors/tuist.runners': { content: anchor('') },
      '/etc/kcpassword': { content: encodeKcpassword(PASSWORD), mode: 0o600 },
      '/usr/local/bin/tart-kubelet': {
        content: renderMacProgram({ kind: 'node', version: 'go', signature: 'signed' }),
        mode: 0o755,
      },
    },
    commands: [
      'pfctl -a tuist.runners -f /etc/pf.anchors/tuist.runners',
      LOADED('dev.tuist.pfctl-runners'),
      LOADED('dev.tuist.tart-kubelet'),
      ...LOGIN,
    ],
  },
  {
    story: 'a host that somebody edited: other line ends, files of others in our places',
    files: {
      '/etc/pf.conf': { content: `${STOCK_PF_CONF}${MARKED}`.replaceAll('\n', '\r\n') },
      '/usr/local/bin/tart': { content: 'not ours\n', mode: 0o755 },
      '/etc/sudoers.d/m1-nopasswd.macfleet-new': { content: 'cut short' },
      '/etc/pf.conf.macfleet-new': { content: 'cut short' },
    },
    commands: [],
  },
];
