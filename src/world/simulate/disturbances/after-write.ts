/** Strikes in the moment after a write: right when something was put on record or sent, and before anybody knows the answer. */
import { MAC_HOSTS } from '../../../kinds/mac-host.ts';
import { MACHINES } from '../../../kinds/machine.ts';
import type { WriteNote } from '../../fleet-world.ts';
import { type Disturbance, type Strike, unlessRefused } from './disturbance.ts';

/** After which writes. */
const WRITES: readonly WriteNote[] = [
  { to: 'kube', what: MAC_HOSTS.plural },
  { to: 'kube', what: MACHINES.plural },
  { to: 'cloud', what: 'rename' },
  { to: 'cloud', what: 'reinstall' },
  { to: 'kube', what: 'machines' },
  { to: 'kube', what: 'nodes' },
  { to: 'kube', what: 'certificatesigningrequests' },
];

const NTH_MAX = 12;

/** The same, at a worse time; the number of the write is a decision of its own. */
export const afterWrite = (disturbance: Disturbance): Disturbance => ({
  id: `${disturbance.id}-after-write`,
  strike: (strike: Strike) => {
    const { world, choose } = strike;
    const { to, what } = WRITES[choose(WRITES.length)] ?? { to: 'kube', what: '' };
    const nth = 1 + choose(NTH_MAX);
    let left = nth;
    const stop = world.onWrite((write) => {
      if (world.trouble.isOver || write.to !== to || write.what !== what) return;
      left -= 1;
      if (left > 0) return;
      stop();
      world.kernel.schedule(0, disturbance.id, () => {
        world.kernel.note(unlessRefused(() => disturbance.strike(strike)) ?? 'nothing to do it to');
      });
    });
    return `after the next ${nth} writes of ${what}: ${disturbance.id}`;
  },
});
