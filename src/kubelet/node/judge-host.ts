/** What figures of a Mac mean. Pure. */
import type { DiskSpace } from '../host/host-files.ts';
import type { Finding } from './node-facts.ts';

/** Below this much free the Node is under pressure, and it stays so until there is some more. */
const DISK_PRESSED_PERCENT = 10;
const DISK_RELIEVED_PERCENT = 12;
const PIDS_PRESSED_PERCENT = 90;
/** macOS: 1 normal, 2 warning, 4 critical. */
const MEMORY_CRITICAL_LEVEL = 4;

const WELL: Finding = { is: 'well' };

/** Of a disk of unknown size everything is free. */
export const freePercent = ({ totalBytes, freeBytes }: DiskSpace): number =>
  totalBytes <= 0 ? 100 : (freeBytes / totalBytes) * 100;

export const judgeDisk = (space: DiskSpace, before: Finding): Finding => {
  const percent = freePercent(space);
  if (percent >= (before.is === 'ill' ? DISK_RELIEVED_PERCENT : DISK_PRESSED_PERCENT)) return WELL;
  return {
    is: 'ill',
    reason: 'TartKubeletHasDiskPressure',
    message: `${percent.toFixed(1)} % of the disk is free; below ${DISK_PRESSED_PERCENT} % no further Pods are taken`,
  };
};

/** Undefined: the Mac did not say. */
export const judgeMemory = (level: number | undefined): Finding => {
  if (level === undefined) return { is: 'unknown', message: 'the Mac does not tell its memory pressure' };
  if (level < MEMORY_CRITICAL_LEVEL) return WELL;
  return {
    is: 'ill',
    reason: 'TartKubeletHasMemoryPressure',
    message: 'macOS is critically short of memory',
  };
};

export const judgePids = (running: number, most: number): Finding => {
  if (most <= 0 || running < (most * PIDS_PRESSED_PERCENT) / 100) return WELL;
  return {
    is: 'ill',
    reason: 'TartKubeletHasPIDPressure',
    message: `${PIDS_PRESSED_PERCENT} % of the ${most} processes that the Mac allows are in use`,
  };
};
