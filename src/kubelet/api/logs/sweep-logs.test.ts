import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { createManualClock } from '../../../base/testing/manual-clock.ts';
import { createSystemFiles } from '../../host/system-files.ts';
import { sweepLogs } from './sweep-logs.ts';

const HOUR_S = 3_600;
const uidOf = (digit: number): string => `0000000${digit}-0000-4000-8000-000000000000`;

it('logs are swept a day after the last word of a VM whose Pod is gone, and no others', async (t) => {
  const logDirectory = mkdtempSync(join(tmpdir(), 'sweep-'));
  t.after(() => rmSync(logDirectory, { recursive: true }));
  const clock = createManualClock(Date.parse('2026-11-16T10:00:00Z'));
  const age = (path: string, hours: number): void => {
    const at = clock.now() / 1_000 - hours * HOUR_S;
    utimesSync(path, at, at);
  };
  const put = (vm: string, hours: number): void => {
    const [log, folder] = [join(logDirectory, `${vm}.log`), join(logDirectory, `${vm}.d`)];
    const segment = join(folder, '0000-00000000.log');
    mkdirSync(folder);
    for (const path of [log, segment]) writeFileSync(path, 'x');
    for (const path of [log, segment, folder]) age(path, hours);
  };
  put(`pod-old-${uidOf(1)}`, 25);
  put(`pod-new-${uidOf(2)}`, 23);
  put(`pod-here-${uidOf(3)}`, 100);
  put('somebody-elses', 100);
  const uids = new Set([uidOf(3)]);
  const swept = await sweepLogs({ files: createSystemFiles(), clock, logDirectory, uids });
  assert.deepEqual(swept.toSorted(), [`pod-old-${uidOf(1)}.d`, `pod-old-${uidOf(1)}.log`]);
  assert.equal(readdirSync(logDirectory).length, 6);
});
