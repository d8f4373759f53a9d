/**
 * The command set of a simulated Mac: only what macOS has, where macOS has it. What macOS lacks (timeout, sha256sum, setsid,
 * flock, tac, …) is missing here too, so that a script that uses it fails as on a Mac.
 */

/** Programs of this machine that behave alike on both for what scripts do. */
const REAL: Readonly<Record<string, readonly string[]>> = {
  '/bin': [
    ...['cat', 'chmod', 'cp', 'dd', 'df', 'echo', 'expr', 'kill', 'ln', 'ls', 'mkdir', 'mv', 'ps', 'pwd', 'rm'],
    ...['rmdir', 'stty', 'sync', 'test', 'realpath', 'zsh'],
  ],
  '/usr/bin': [
    ...['awk', 'basename', 'bc', 'bunzip2', 'bzip2', 'cksum', 'cmp', 'comm', 'cut', 'diff', 'dirname', 'du', 'env'],
    ...['false', 'find', 'fold', 'grep', 'egrep', 'fgrep', 'gunzip', 'gzip', 'head', 'hexdump', 'id', 'install'],
    ...['join', 'less', 'logger', 'mkfifo', 'mktemp', 'nice', 'nl', 'nohup', 'od', 'openssl', 'paste', 'perl', 'pgrep'],
    ...['pkill', 'printf', 'readlink', 'script', 'seq', 'sort', 'split', 'strings', 'tail', 'tar', 'tee'],
    ...['touch', 'tr', 'true', 'tty', 'uniq', 'uuidgen', 'vi', 'wc', 'which', 'whoami', 'xargs', 'xxd', 'yes', 'zcat'],
    ...['cal', 'column', 'file', 'groups', 'patch', 'renice', 'tput', 'clear', 'unzip', 'zip', 'ssh', 'scp', 'curl'],
  ],
  '/usr/sbin': ['chown', 'chroot'],
  '/sbin': ['mknod'],
};

/** Answered by our own shell files, named after them. */
const SHIMS: Readonly<Record<string, string>> = {
  '/bin/bash': 'bash',
  '/bin/sh': 'bash',
  '/bin/date': 'date',
  '/usr/bin/base64': 'base64',
  '/usr/bin/sed': 'sed',
  '/usr/bin/shasum': 'shasum',
  '/usr/bin/stat': 'stat',
  '/usr/bin/sudo': 'sudo',
  '/usr/libexec/mach-o': 'mach-o',
  '/usr/libexec/macfleet/enter': 'enter',
};

/** Answered by the model. */
const MODELLED: Readonly<Record<string, readonly string[]>> = {
  '/bin': ['hostname', 'launchctl', 'sleep'],
  '/sbin': ['ifconfig', 'pfctl', 'ping', 'reboot', 'route', 'shutdown', 'mount', 'md5'],
  '/usr/bin': [
    ...['caffeinate', 'codesign', 'csrutil', 'defaults', 'ditto', 'dscacheutil', 'dscl', 'killall', 'nc', 'plutil'],
    ...[
      'pmset',
      'security',
      'su',
      'sw_vers',
      'uname',
      'xattr',
      'xcode-select',
      'xcodebuild',
      'xcrun',
      'log',
      'osascript',
      'tccutil',
    ],
  ],
  '/usr/sbin': [
    ...['diskutil', 'ioreg', 'networksetup', 'scutil', 'softwareupdate', 'spctl', 'sysadminctl', 'sysctl'],
    ...['system_profiler', 'systemsetup', 'visudo', 'lsof'],
  ],
  '/usr/libexec': ['PlistBuddy'],
  '/usr/libexec/macfleet': ['amfi', 'now', 'tart'],
};

export interface RootEntry {
  /** On the Mac. */
  readonly path: string;
  readonly from: { readonly program: string } | { readonly shim: string };
}

const inFolders = (
  folders: Readonly<Record<string, readonly string[]>>,
  from: (name: string) => RootEntry['from'],
): readonly RootEntry[] =>
  Object.entries(folders).flatMap(([folder, names]) =>
    names.map((name) => ({ path: `${folder}/${name}`, from: from(name) })),
  );

export const ROOT_ENTRIES: readonly RootEntry[] = [
  ...inFolders(REAL, (program) => ({ program })),
  ...inFolders(MODELLED, () => ({ shim: 'ask' })),
  ...Object.entries(SHIMS).map(([path, shim]) => ({ path, from: { shim } })),
];

export const SHIM_NAMES: readonly string[] = ['ask', ...new Set(Object.values(SHIMS))];
