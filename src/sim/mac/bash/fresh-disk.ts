/** What is on the disk of a Mac that was just installed, as Scaleway's images leave it. */
import type { MacFiles } from '../model/files.ts';

export const M1 = { uid: 501, gid: 20 };

export interface FreshDisk {
  /** As in authorized_keys. */
  readonly authorizedKeys: readonly string[];
}

/** Stock macOS: scrub, translation, then filter anchors of com.apple. */
export const STOCK_PF_CONF = `#
# Default PF configuration file.
#
scrub-anchor "com.apple/*"
nat-anchor "com.apple/*"
rdr-anchor "com.apple/*"
dummynet-anchor "com.apple/*"
anchor "com.apple/*"
load anchor "com.apple" from "/etc/pf.anchors/com.apple"
`;

const STOCK_ANCHOR = `#
# com.apple ruleset, referred to by the default /etc/pf.conf file.
#
anchor "200.AirDrop/*"
anchor "250.ApplicationFirewall/*"
`;

const SUDOERS = `Defaults env_reset
root ALL=(ALL) ALL
%admin ALL=(ALL) ALL
#includedir /private/etc/sudoers.d
`;

const FILES: Readonly<Record<string, string>> = {
  '/private/etc/passwd':
    'root:*:0:0:System Administrator:/var/root:/bin/sh\nm1:*:501:20:m1:/Users/m1:/bin/zsh\nnobody:*:-2:-2:Unprivileged User:/var/empty:/usr/bin/false\n',
  '/private/etc/group': 'wheel:*:0:root\nstaff:*:20:root\nadmin:*:80:root,m1\neveryone:*:12:\n',
  '/private/etc/pf.conf': STOCK_PF_CONF,
  '/private/etc/pf.anchors/com.apple': STOCK_ANCHOR,
  '/private/etc/shells': '/bin/bash\n/bin/sh\n/bin/zsh\n',
  '/private/etc/hosts': '127.0.0.1 localhost\n255.255.255.255 broadcasthost\n::1 localhost\n',
  '/private/etc/zshrc': '',
};

const FOLDERS = [
  ...['/private/var/log', '/private/var/root', '/private/var/run', '/private/var/db', '/private/var/empty'],
  ...['/private/etc/sudoers.d', '/Library/LaunchDaemons', '/Library/LaunchAgents', '/Library/Preferences', '/opt'],
  ...['/Applications', '/Volumes', '/usr/local', '/Users/Shared'],
];

export const writeFreshDisk = (files: MacFiles, { authorizedKeys }: FreshDisk): void => {
  for (const folder of FOLDERS) files.makeDirectory(folder);
  for (const folder of ['/private/tmp', '/private/var/tmp']) files.makeDirectory(folder, { mode: 0o1777 });
  for (const [path, content] of Object.entries(FILES)) files.write(path, content);
  files.write('/private/etc/sudoers', SUDOERS, { mode: 0o440 });
  files.makeDirectory('/Users/m1', { ...M1, mode: 0o750 });
  for (const folder of ['.ssh', 'Library', 'Library/Keychains', 'Library/Preferences'])
    files.makeDirectory(`/Users/m1/${folder}`, { ...M1, mode: 0o700 });
  writeKeys(files, authorizedKeys);
};

/** Where Scaleway puts the keys of a project; sshd reads it besides authorized_keys. */
export const writeKeys = (files: MacFiles, keys: readonly string[]): void =>
  files.write('/Users/m1/.ssh/scw_authorized_keys', keys.map((key) => `${key}\n`).join(''), { ...M1, mode: 0o600 });
