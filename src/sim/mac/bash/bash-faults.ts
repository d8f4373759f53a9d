/** The faults of a Mac, on one with real bash. */
import { toFleetError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { MacFaultSwitches } from '../mac-fault-list.ts';
import type { BashMac } from './bash-mac.ts';
import { findMacScenario } from './scenarios.ts';
import { stageScenario } from './stage-scenario.ts';

export const switchesOfBash = (mac: BashMac, logger: Logger): MacFaultSwitches => {
  const { trouble, power } = mac;
  const inBackground = (work: Promise<void>): void => {
    work.catch((error: unknown) => logger.error('A fault could not be made', { error: toFleetError(error) }));
  };
  return {
    reboot: () => inBackground(power.reboot()),
    'ssh-refused': trouble.refuseConnections,
    'ssh-banned': trouble.ban,
    // Every command holds nothing.
    'ssh-cut': () => trouble.breakNext('', 'lost-after'),
    'host-key-changed': mac.changeHostKey,
    'keys-forgotten': () => mac.authorize([]),
    // Until somebody kills the tables: it does not go by itself.
    'pf-wedged': () => inBackground(stageScenario(mac, findMacScenario('pf-wedged'))),
  };
};
