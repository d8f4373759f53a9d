/**
 * What earlier versions, and people, left of the firewall on Macs that are in use: /etc/pf.conf in every form it had, and
 * tables in memory. Data, so that a new one is a row.
 */
import { STOCK_PF_CONF } from '../../../src/sim/mac/bash/fresh-disk.ts';

export interface LegacyPf {
  readonly story: string;
  readonly pfConf: string;
  /** Run as root, in this order, before the step. */
  readonly commands?: readonly string[];
  /** Other files. */
  readonly files?: Readonly<Record<string, string>>;
}

const ANCHOR_LINES = `anchor "tuist.runners"
load anchor "tuist.runners" from "/etc/pf.anchors/tuist.runners"
`;
/** Of May: a comment, no markers. */
const UNMARKED = `
# Tuist runner VM egress filter
${ANCHOR_LINES}`;
const MARKED = `# BEGIN tuist.runners
${ANCHOR_LINES}# END tuist.runners
`;
/** Of May: tables that outlive their rules. */
const PERSISTENT_ANCHOR = `table <vm_sources> persist { 192.168.64.0/22 }
table <blocked_dst> persist { 10.0.0.0/8, 172.16.0.0/12, 169.254.0.0/16 }
block drop out quick from <vm_sources> to <blocked_dst>
`;
const FULL_RELOAD_JOB = `<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
<key>Label</key><string>dev.tuist.pfctl-runners</string>
<key>ProgramArguments</key><array><string>/sbin/pfctl</string><string>-f</string><string>/etc/pf.conf</string><string>-E</string></array>
<key>RunAtLoad</key><true/>
</dict></plist>
`;

const keep = (scope: string): readonly string[] =>
  ['vm_sources 192.168.64.0/22', 'blocked_dst 10.0.0.0/8'].map((words) => {
    const [table, address] = words.split(' ');
    return `pfctl ${scope} -t ${table} -T add ${address}`;
  });

/** The file when all is well, from each of these. */
export const CONVERGED_PF_CONF = `${STOCK_PF_CONF}${MARKED}`;

export const LEGACY_PF: readonly LegacyPf[] = [
  { story: 'a Mac as delivered', pfConf: STOCK_PF_CONF },
  { story: 'the unmarked block of May', pfConf: `${STOCK_PF_CONF}${UNMARKED}` },
  { story: 'I-08: the unmarked block twice', pfConf: `${STOCK_PF_CONF}${UNMARKED}${UNMARKED}` },
  { story: 'a marked block', pfConf: `${STOCK_PF_CONF}${MARKED}` },
  { story: 'a marked block twice', pfConf: `${STOCK_PF_CONF}${MARKED}${MARKED}` },
  { story: 'I-31: the unmarked block, and a marked one', pfConf: `${STOCK_PF_CONF}${UNMARKED}${MARKED}` },
  {
    story: 'a marked block with a line of somebody else in it',
    pfConf: `${STOCK_PF_CONF}${MARKED.replace('# END', 'pass out all\n# END')}`,
  },
  {
    story: 'a marked block whose end was lost',
    pfConf: `${STOCK_PF_CONF}${MARKED.replace('# END tuist.runners\n', '')}`,
  },
  { story: 'F47: line ends of another system', pfConf: `${STOCK_PF_CONF}${UNMARKED}`.replaceAll('\n', '\r\n') },
  { story: 'F47: no line end at the end', pfConf: STOCK_PF_CONF.trimEnd() },
  {
    story: 'I-06, F46: tables that stayed in the anchor',
    pfConf: `${STOCK_PF_CONF}${MARKED}`,
    files: { '/etc/pf.anchors/tuist.runners': PERSISTENT_ANCHOR },
    commands: ['pfctl -a tuist.runners -f /etc/pf.anchors/tuist.runners'],
  },
  {
    story: 'I-06, F46: tables that stayed in the main rules',
    ...{ pfConf: `${STOCK_PF_CONF}${MARKED}`, commands: keep('') },
  },
  {
    story: 'I-06, F46: tables that stayed everywhere, and a block twice',
    pfConf: `${STOCK_PF_CONF}${UNMARKED}${MARKED}`,
    files: { '/etc/pf.anchors/tuist.runners': PERSISTENT_ANCHOR.replaceAll(' persist', '') },
    commands: [...keep('-a tuist.runners'), ...keep('-a com.apple/tuist.runners'), ...keep('')],
  },
  {
    story: 'I-22: the job that loads all of pf.conf again',
    pfConf: `${STOCK_PF_CONF}${MARKED}`,
    files: {
      '/etc/pf.anchors/tuist.runners': PERSISTENT_ANCHOR.replaceAll(' persist', ''),
      '/Library/LaunchDaemons/dev.tuist.pfctl-runners.plist': FULL_RELOAD_JOB,
    },
    commands: ['launchctl bootstrap system /Library/LaunchDaemons/dev.tuist.pfctl-runners.plist'],
  },
];
