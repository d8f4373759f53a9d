/** How a Mac refuses a batch: exit code and line on the wire, and the error of the port that it stands for. */
import type { FleetError } from '../../base/errors.ts';
import type { Epoch } from '../port.ts';
import { hostBusy, hostHeld, notFenced, notWiped, staleEpoch } from './session-errors.ts';

export const REFUSED_EXIT = 97;

const LINE = /^macfleet-refused (StaleEpoch|NotWiped|NotFenced|HostBusy|HostHeld) (.+)$/;

/** The line; undefined for an error that is no refusal. */
export const renderRefusal = ({ code, details }: FleetError): string | undefined => {
  const more = details['seen'] ?? details['why'] ?? details['step'] ?? details['owner'] ?? details['claim'];
  const line = `macfleet-refused ${code} ${String(more)}`;
  return LINE.test(line) ? line : undefined;
};

/** Undefined for any other line. `epoch` is that of the batch. */
export const parseRefusal = (line: string, epoch: Epoch): FleetError | undefined => {
  const [, code, more = ''] = LINE.exec(line.trimEnd()) ?? [];
  if (code === 'StaleEpoch') return staleEpoch(Number(epoch), Number(more));
  if (code === 'NotWiped') return notWiped(more);
  if (code === 'NotFenced') return notFenced(more);
  if (code === 'HostHeld') return hostHeld(more);
  return code === 'HostBusy' ? hostBusy(more) : undefined;
};
