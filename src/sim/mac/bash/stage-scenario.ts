/** Puts a Mac into a prepared situation. */
import type { BashMac } from './bash-mac.ts';
import { M1 } from './fresh-disk.ts';
import type { MacScenario } from './scenarios.ts';

const OF_M1 = ['/etc/tart-kubelet/kubeconfig', '/var/log/tart-kubelet.log'];
const HIDDEN = ['/etc/kcpassword', '/etc/tart-kubelet/kubeconfig'];

/** On a Mac that is on. It is started anew for a defect of its disk only: a boot would heal much of the rest. */
export const stageScenario = async (mac: BashMac, scenario: MacScenario): Promise<void> => {
  const { readOnly = [], full = [], files = {}, keys } = scenario;
  if (readOnly.length + full.length > 0) {
    for (const folder of readOnly) mac.files.makeDirectory(folder);
    await mac.power.off();
    mac.setDefects({ readOnly, full });
    await mac.power.on();
  }
  for (const [path, content] of Object.entries(files))
    mac.files.write(path, content, { mode: modeOf(path), ...(OF_M1.includes(path) ? M1 : {}) });
  if (keys === 'forgotten') mac.authorize([]);
  stageModel(mac, scenario);
};

const stageModel = ({ model }: BashMac, scenario: MacScenario): void => {
  const { pf, launchd, loginWindow, accounts } = model;
  for (const [scope, names] of Object.entries(scenario.leftTables ?? {}))
    for (const name of names) pf.setTable(scope, { name, persist: true, addresses: ['192.168.64.0/22'] });
  for (const path of Object.keys(scenario.files ?? {}))
    if (path.startsWith('/Library/LaunchDaemons/')) launchd.bootstrap(path);
  launchd.setRegistrations(scenario.registrations ?? 0);
  if (scenario.loginWindow === 'dead') loginWindow.stop();
  if (scenario.sshd === 'stuck') model.setSshReachable('no');
  model.setClockSkew(scenario.clockSkewMs ?? 0);
  model.network.setLocalNetwork(scenario.localNetwork ?? 'open');
  model.network.setUplink(scenario.uplink ?? 'up');
  model.hypervisor.startMachines(scenario.machinesStarted ?? 0);
  accounts.setFailures(scenario.wrongPasswords ?? 0);
};

const modeOf = (path: string): number => {
  if (path.startsWith('/usr/local/bin/')) return 0o755;
  if (path.startsWith('/etc/sudoers.d/')) return 0o440;
  return HIDDEN.includes(path) ? 0o600 : 0o644;
};
