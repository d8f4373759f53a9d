/**
 * The faults F01–F82 of Scaleway, of SSH and hosts, and of the Kubernetes API: by which disturbances a simulated fleet meets each of
 * them, or where it is met instead. Those of VMs and runners (F83–F98) come with the parts that have them.
 */

export type FaultMet =
  /** Rows of DISTURBANCES. */
  | { readonly by: readonly string[] }
  /** A fault of the kernel's network, at that site, before or after the effect of any call. */
  | { readonly at: 'cloud' | 'ssh' | 'kube' | 'kube:body'; readonly fault: string }
  /** Not in this world: why, and where else. */
  | { readonly elsewhere: string };

const by = (...ids: readonly string[]): FaultMet => ({ by: ids });
const at = (site: 'cloud' | 'ssh' | 'kube' | 'kube:body', fault: string): FaultMet => ({ at: site, fault });
const elsewhere = (why: string): FaultMet => ({ elsewhere: why });

const NEEDS_MACOS = 'only real scripts on a modelled macOS show it: test/hosts';
const NEEDS_VMS = 'no VM runs in this world: comes with tart-kubelet';

export const FAULT_TABLE: Readonly<Record<string, readonly FaultMet[]>> = {
  F01: [by('F01', 'F01b'), at('cloud', 'fail-before')],
  F02: [by('F02'), at('cloud', 'fail-after')],
  F03: [by('F03'), at('cloud', 'fail-after')],
  F04: [by('F04'), at('cloud', 'fail-after')],
  F05: [by('F05', 'F05b', 'F05c')],
  F06: [by('F06', 'F06-for-ever', 'terminate-policy')],
  F07: [by('F07', 'F07b', 'F07-for-ever', 'F07b-for-ever')],
  F08: [by('F08')],
  F09: [by('F09', 'F09b', 'F09c', 'F09d', 'F09e')],
  F10: [by('F10')],
  F11: [by('F11', 'console-delete', 'console-delete-after-write')],
  F12: [by('F12')],
  F13: [by('F13', 'F13b')],
  F14: [by('F14')],
  F15: [by('F15')],
  F16: [by('F16', 'F16b')],
  F17: [by('F17')],
  F18: [by('F18', 'F18b', 'F18c')],
  F19: [by('F19', 'F19b')],
  F20: [by('F20')],
  F21: [by('F21', 'F21b')],
  F22: [by('F22')],
  F23: [by('F23')],
  F24: [by('F24')],
  F25: [by('F25', 'F25b')],
  F26: [by('F26', 'F26b', 'F06-for-ever', 'terminate-policy')],
  F27: [by('F27', 'F27b')],
  F28: [by('F28', 'another-cluster')],
  F29: [by('F29', 'F29-after-write')],
  F30: [by('F30')],
  F31: [by('F31')],
  F32: [by('F32')],
  F33: [by('F33')],
  F34: [by('refuses-connections'), at('ssh', 'fail-before')],
  F35: [by('connection-breaks'), at('ssh', 'fail-after')],
  F36: [by('step-hangs'), at('ssh', 'late-answer')],
  F37: [by('upload-fails')],
  F38: [by('host-key-changes', 'host-key-changes-when-named')],
  F39: [by('password-changed')],
  F40: [by('banned')],
  F41: [by('key-forgotten')],
  F42: [by('password-changed'), elsewhere(NEEDS_MACOS)],
  F43: [elsewhere(NEEDS_MACOS)],
  F44: [elsewhere(NEEDS_MACOS)],
  F45: [elsewhere(NEEDS_MACOS)],
  F46: [elsewhere(NEEDS_MACOS)],
  F47: [elsewhere(NEEDS_MACOS)],
  F48: [elsewhere(NEEDS_MACOS)],
  F49: [elsewhere(NEEDS_MACOS)],
  F50: [elsewhere(NEEDS_MACOS)],
  F51: [by('step-fails', 'upload-fails')],
  F52: [elsewhere(NEEDS_VMS)],
  F53: [by('skew-manager')],
  F54: [by('reboots-itself', 'console-reboot')],
  F55: [elsewhere(NEEDS_MACOS)],
  F56: [by('api-away')],
  F57: [elsewhere(NEEDS_VMS)],
  F58: [by('person-at-work')],
  F59: [by('conflicts', 'conflicts-after-write')],
  F60: [at('kube', 'fail-after')],
  F61: [by('watches-break', 'watches-expire'), at('kube:body', 'cut')],
  F62: [at('kube:body', 'freeze')],
  F63: [by('watch-loses', 'watch-repeats', 'watch-lags')],
  F64: [by('cached-lists', 'etcd-restored')],
  F65: [by('watch-lags', 'watch-lags-after-write')],
  F66: [by('denied-writes')],
  F67: [by('throttled-writes', 'broken-writes')],
  F68: [by('api-away', 'api-restarts')],
  F69: [by('freeze-manager', 'freeze-manager-after-write')],
  F70: [by('skew-manager')],
  F71: [by('kill-manager-after-write'), elsewhere('at every effect: the systematic mode, run-systematic.ts')],
  F72: [by('crash-loop')],
  F73: [by('delete-infra-machine', 'delete-infra-machine-after-write')],
  F74: [by('force-delete', 'force-delete-host')],
  F75: [by('pause-machine', 'pause-machine-after-write', 'pause-cluster-after-write')],
  F76: [by('recreate-machine')],
  F77: [by('corrupt-machine')],
  F78: [by('delete-node')],
  F79: [by('forge-node')],
  F80: [by('delete-definition'), elsewhere('upgrade and rollback of a chart: test/cluster/kinds-upgrade.test.ts')],
  F81: [by('corrupt-secret')],
  F82: [by('corrupt-machine', 'forge-host')],
};
