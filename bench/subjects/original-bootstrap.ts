/**
 * How many SSH executions the Go original makes for a first bootstrap, row by row of its own order of steps. It runs one script per
 * step, whose payload travels on that execution's standard input (so an upload is no further one); the handshake is none.
 */

interface Row {
  readonly step: string;
  readonly executions: number;
  /**
   * `ours`: we do it too. `always`: the original does it on every host, we do not, or only where it is needed. `option`: only with
   * a setting that a plain host has not.
   */
  readonly done: 'ours' | 'always' | 'option';
}

const ORIGINAL_BOOTSTRAP: readonly Row[] = [
  { step: 'parse the key, wait for SSH, dial', executions: 0, done: 'ours' },
  { step: 'sudo without a password', executions: 1, done: 'ours' },
  { step: 'automatic login', executions: 1, done: 'ours' },
  { step: 'no idle sleep', executions: 1, done: 'ours' },
  { step: 'watchdog for SSH', executions: 1, done: 'ours' },
  { step: 'hostname', executions: 1, done: 'ours' },
  { step: 'Tart, its archive on standard input', executions: 1, done: 'ours' },
  { step: 'volume for caches', executions: 1, done: 'option' },
  { step: 'interface of the private network', executions: 1, done: 'option' },
  { step: 'firewall', executions: 1, done: 'ours' },
  { step: 'firewall: helper for address translation', executions: 1, done: 'option' },
  { step: 'Tailscale: the credential, then the rest', executions: 2, done: 'option' },
  { step: 'name service of the tailnet', executions: 1, done: 'always' },
  { step: 'exceptions for the local network', executions: 1, done: 'always' },
  { step: 'guard for SSH', executions: 1, done: 'option' },
  { step: 'node_exporter', executions: 1, done: 'option' },
  { step: 'kubeconfig', executions: 1, done: 'ours' },
  { step: 'agent, its binary on standard input', executions: 1, done: 'ours' },
  { step: 'launchd job and a PID that stays', executions: 1, done: 'ours' },
  { step: 'GitHub runner: Homebrew, Xcode, cache folder, registration', executions: 4, done: 'option' },
  { step: 'log shipper, installed or taken away', executions: 1, done: 'always' },
];

export const countOriginal = (kinds: readonly Row['done'][]): number =>
  ORIGINAL_BOOTSTRAP.filter(({ done }) => kinds.includes(done)).reduce((sum, { executions }) => sum + executions, 0);
