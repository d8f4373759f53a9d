/** Which kind of simulated Macs `up` gets, and why: real bash where that is possible and carries, step-level otherwise. */
import { FleetError, isKind, toFleetError } from '../../base/errors.ts';
import type { MacRack } from '../../sim/mac/bash/mac-rack.ts';

export type MacKind = 'real-bash' | 'step-level';

export interface MacWish {
  readonly asked: MacKind | undefined;
  readonly macs: number;
  /** Whether the simulation is to be gone on with. */
  readonly isKept: boolean;
}

/** Tries whether Macs can be shut in here: where they can, what they share. Rejects with `NoSandbox` otherwise. */
export type OpenRack = () => Promise<MacRack>;

export type MacChoice =
  | { readonly kind: 'real-bash'; readonly rack: MacRack }
  | { readonly kind: 'step-level'; readonly because: string };

/** Each runs a process of its own for its agent. */
export const REAL_BASH_MAX = 8;

export const chooseMacs = async (wish: MacWish, openRack: OpenRack): Promise<MacChoice> => {
  const because = findReason(wish);
  if (because !== undefined) return { kind: 'step-level', because };
  try {
    return { kind: 'real-bash', rack: await openRack() };
  } catch (error) {
    if (wish.asked === 'real-bash' || !isKind(error, 'unavailable')) throw error;
    return { kind: 'step-level', because: toFleetError(error).message };
  }
};

/** Why they are not to run real bash, whatever is possible here. */
const findReason = ({ asked, macs, isKept }: MacWish): string | undefined => {
  if (asked === 'step-level') return 'they were asked for';
  if (asked === 'real-bash' && isKept) throw notKept();
  if (asked === 'real-bash') return undefined;
  if (isKept) return 'only these are kept with --data';
  return macs > REAL_BASH_MAX ? `more than ${REAL_BASH_MAX} that run real bash have to be asked for` : undefined;
};

const notKept = (): FleetError =>
  new FleetError('invalid', {
    code: 'MacsNotKept',
    message: 'the disks of Macs that run real bash are not kept, so no later run could go on with them',
    hint: 'Leave out --data, or say --macs-as step-level.',
  });

export const describeChoice = (choice: MacChoice): string =>
  choice.kind === 'real-bash'
    ? 'The Macs run real bash in sandboxes and are prepared over SSH.'
    : `The Macs are step-level, which run no script: ${choice.because}.`;
