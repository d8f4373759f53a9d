import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLoggerTo } from '../../base/logger.ts';
import { createMemoryFiles } from '../../sim/tart/step/memory-files.ts';
import { openJournal } from './journal.ts';
import { type JournalEntry, parseJournalEntry } from './journal-entry.ts';
import { UID } from './testing/pod-samples.ts';

const ENTRY: JournalEntry = {
  uid: UID,
  namespace: 'ns',
  name: 'job',
  vm: `pod-job-${UID}`,
  image: 'i',
  stage: 'making',
  restarts: 0,
};
const OUTCOME = { exitCode: 3, reason: 'Error', startedMs: 1, finishedMs: 2 };

const openBench = () => {
  const files = createMemoryFiles({ now: () => 0, tell: (listener) => listener() });
  const lines: string[] = [];
  const logger = createLoggerTo((_, message, fields) => lines.push(`${message} ${JSON.stringify(fields)}`));
  return { files, lines, open: () => openJournal({ files, directory: '/journal', logger }) };
};

describe('the journal', () => {
  it('is read again by the next life of the agent, outcome and all', async () => {
    const { open } = openBench();
    await (await open()).put({ ...ENTRY, stage: 'ended', outcome: OUTCOME });
    assert.deepEqual((await open()).all(), [{ ...ENTRY, stage: 'ended', outcome: OUTCOME }]);
  });

  it('survives a loss of power, but for what has to survive a death of the agent alone', async () => {
    const { open, files } = openBench();
    await (await open()).put(ENTRY, { survives: 'death' });
    assert.deepEqual((await open()).all(), [ENTRY]);
    files.losePower();
    assert.deepEqual((await open()).all(), []);
    await (await open()).put(ENTRY, { survives: 'death' });
    await (await open()).put({ ...ENTRY, stage: 'started' });
    files.losePower();
    assert.deepEqual((await open()).all(), [{ ...ENTRY, stage: 'started' }]);
  });

  it('forgets what is dropped', async () => {
    const { open } = openBench();
    const journal = await open();
    await journal.put(ENTRY);
    await journal.drop(UID);
    assert.equal(journal.get(UID), undefined);
    assert.deepEqual((await open()).all(), []);
  });

  it('passes over a file that is broken or somebody else’s, and says so', async () => {
    const { open, files, lines } = openBench();
    await (await open()).put(ENTRY);
    files.now.write('/journal/broken.json', '{"uid":');
    files.now.write('/journal/other.json', JSON.stringify(ENTRY));
    files.now.write('/journal/notes.txt', 'x');
    assert.deepEqual((await open()).all(), [ENTRY]);
    assert.equal(lines.filter((line) => /not readable/.test(line)).length, 2);
  });

  const BAD: readonly [story: string, entry: object][] = [
    ['without a VM', { ...ENTRY, vm: undefined }],
    ['at a stage that nobody knows', { ...ENTRY, stage: 'resting' }],
    ['that ended without an outcome', { ...ENTRY, stage: 'ended' }],
    ['whose outcome has no code', { ...ENTRY, stage: 'cleared', outcome: { ...OUTCOME, exitCode: '3' } }],
  ];
  for (const [story, entry] of BAD)
    it(`takes no entry ${story}`, () => assert.equal(parseJournalEntry(JSON.stringify(entry)), undefined));
});
