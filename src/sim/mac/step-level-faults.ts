/** The faults of a Mac, on one that is step-level. */
import type { MacFaultSwitches } from './mac-fault-list.ts';
import type { SimMac } from './sim-mac.ts';

const WEDGED = { step: 'firewall', kind: 'exit', output: 'pfctl: DIOCRCLRTABLES: Resource busy' } as const;

export const switchesOfStepLevel = (mac: SimMac): MacFaultSwitches => ({
  reboot: mac.rebootItself,
  'ssh-refused': mac.refuseConnections,
  'ssh-banned': mac.ban,
  'ssh-cut': () => mac.cutConnectionAt(1, 'lost-after'),
  'host-key-changed': mac.changeHostKey,
  'keys-forgotten': mac.forgetKey,
  'pf-wedged': (times) => mac.addStepFault({ ...WEDGED, times }),
});
