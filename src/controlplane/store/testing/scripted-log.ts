/** A log for tests: turns end when the test says so, and the disk is full when the test says so. */
import { FleetError } from '../../../base/errors.ts';
import type { LogRecord, StoreLog } from '../log.ts';

export const createScriptedLog = () => {
  const rows = new Map<string, LogRecord>();
  const deferred: (() => void)[] = [];
  const groups: number[] = [];
  let revision = 0;
  let isFull = false;
  const log: StoreLog = {
    load: () => ({ revision, records: [...rows.values()] }),
    append: (records) => {
      if (isFull) throw new FleetError('unavailable', { code: 'StoreFailed', message: 'the disk is full' });
      groups.push(records.length);
      for (const record of records) {
        const at = `${record.collection} ${record.key}`;
        if (record.json === undefined) rows.delete(at);
        else rows.set(at, record);
        ({ revision } = record);
      }
    },
    defer: (run) => void deferred.push(run),
    close: () => undefined,
  };
  return {
    log,
    /** How many records each append had. */
    groups,
    endTurn: (): void => {
      for (const run of deferred.splice(0)) run();
    },
    fill: (disk: 'full' | 'free'): void => {
      isFull = disk === 'full';
    },
  };
};
