/** Logs of VMs on a real disk, with a clock that stands still: what is written, what is read, and what a crash leaves. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { neverAborted } from '../../../base/abort.ts';
import { silentLogger } from '../../../base/logger.ts';
import { createManualClock } from '../../../base/testing/manual-clock.ts';
import type { HostFiles } from '../../host/host-files.ts';
import { createSystemFiles } from '../../host/system-files.ts';
import { createLogKeeper, type LogKeeper } from './log-keeper.ts';
import { type LogOptions, parseLogOptions } from './log-options.ts';
import { findRun, type LogSource, readRun } from './read-log.ts';

const VM = 'pod-a-1';

const createStage = () => {
  const root = mkdtempSync(join(tmpdir(), 'logs-'));
  const [logDirectory, status] = [join(root, 'logs'), join(root, 'status')];
  const [guestLog, runLog] = [join(status, 'runner.log'), join(logDirectory, `${VM}.log`)];
  mkdirSync(logDirectory);
  mkdirSync(status);
  const clock = createManualClock(Date.parse('2026-11-16T10:00:00Z'));
  const files = createSystemFiles();
  const open = (on: HostFiles = files): LogKeeper =>
    createLogKeeper({
      ...{ files: on, clock, logger: silentLogger, logDirectory },
      runLogOf: () => runLog,
      guestLogOf: () => ({ directory: status, path: guestLog }),
    });
  const sourceOf = (keeper: LogKeeper): LogSource => ({ files, keeper, logDirectory, vm: VM });
  const read = async (keeper: LogKeeper, options: Partial<LogOptions> = {}): Promise<string> => {
    const wanted = { ...parseLogOptions(new URLSearchParams(), clock.now()), ...options };
    const run = await findRun(sourceOf(keeper), wanted.run);
    if (run === undefined) return '(no such run)';
    let text = '';
    for await (const chunk of readRun(sourceOf(keeper), { run, options: wanted, signal: neverAborted() }))
      text += Buffer.from(chunk).toString();
    return text;
  };
  /** Lets time pass until this can be read. */
  const until = async (keeper: LogKeeper, wanted: string): Promise<void> => {
    for (let left = 2_000; left > 0 && (await read(keeper)) !== wanted; left -= 1) clock.advance(1_000);
    assert.equal(await read(keeper), wanted);
  };
  const say = (text: string): void => appendFileSync(guestLog, text);
  const folder = join(logDirectory, `${VM}.d`);
  return { root, clock, open, sourceOf, read, until, say, guestLog, runLog, folder, status };
};

type Stage = ReturnType<typeof createStage>;

describe('the log of a VM', () => {
  let stage: Stage;
  let keeper: LogKeeper;

  beforeEach(async () => {
    stage = createStage();
    keeper = stage.open();
    await keeper.begin(VM);
  });
  afterEach(() => {
    keeper.close();
    rmSync(stage.root, { recursive: true });
  });

  it('holds what the guest wrote, the last line too, once it is finished', async () => {
    writeFileSync(stage.runLog, 'Stopping VM...\n');
    stage.say('one\ntwo\nthree without an end');
    await keeper.finish(VM);
    assert.equal(await stage.read(keeper), 'one\ntwo\nthree without an end\n');
  });

  it('holds what Tart printed where the guest said nothing', async () => {
    writeFileSync(stage.runLog, 'Error: no HostKey\n');
    await keeper.finish(VM);
    assert.equal(await stage.read(keeper, { streams: ['stderr'] }), 'Error: no HostKey\n');
    assert.equal(await stage.read(keeper, { streams: ['stdout'] }), '');
  });

  it('stays after the share is gone', async () => {
    stage.say('one\n');
    await keeper.finish(VM);
    rmSync(stage.status, { recursive: true });
    assert.equal(await stage.read(keeper), 'one\n');
  });

  it('goes on after a crash exactly where it stopped, also when its last line was torn', async () => {
    stage.say('one\ntwo\n');
    await keeper.finish(VM);
    const [segment = ''] = readdirSync(stage.folder);
    const path = join(stage.folder, segment);
    truncateSync(path, readFileSync(path).length - 3);
    const next = stage.open();
    await next.resume(VM);
    stage.say('three\n');
    await next.finish(VM);
    assert.equal(await stage.read(next), 'one\ntwo\nthree\n');
    next.close();
  });

  const cuts = [
    { story: 'nothing was written', bytes: 0 },
    { story: 'a part of a line was', bytes: 20 },
    { story: 'whole lines were', bytes: 2 * '2026-11-16T10:00:00.000000000Z stdout F:12:0 six\n'.length },
    { story: 'a line and a half were', bytes: 70 },
  ];
  for (const { story, bytes } of cuts) {
    it(`goes on when the disk is full and ${story}, without a line lost or told twice`, async () => {
      const files = createSystemFiles();
      const full = { once: false };
      const appendText: HostFiles['appendText'] = async (path, text, options) => {
        if (!full.once || text === '') return files.appendText(path, text, options);
        full.once = false;
        await files.appendText(path, text.slice(0, bytes), options);
        throw new Error('ENOSPC: no space left on device');
      };
      keeper.close();
      const filled = stage.open({ ...files, appendText });
      await filled.resume(VM);
      stage.say('one\ntwo\n');
      await stage.until(filled, 'one\ntwo\n');
      full.once = true;
      stage.say('six\nten\nabc\n');
      await stage.until(filled, 'one\ntwo\nsix\nten\nabc\n');
      assert.equal(full.once, false);
      await filled.finish(VM);
      assert.equal(await stage.read(filled), 'one\ntwo\nsix\nten\nabc\n');
    });
  }

  it('goes on after a restart of the agent without a line lost or told twice', async () => {
    await keeper.finish(VM);
    for (let life = 0; life < 5; life += 1) {
      for (let line = 0; line < 100; line += 1) stage.say(`life ${life} line ${line}\n`);
      const next = stage.open();
      await next.resume(VM);
      await next.finish(VM);
      next.close();
    }
    assert.equal(await stage.read(keeper), readFileSync(stage.guestLog, 'utf8'));
  });

  it('is begun anew by a VM that starts again, and the one before is the previous one', async () => {
    stage.say('first\n');
    await keeper.finish(VM);
    rmSync(stage.guestLog);
    await keeper.begin(VM);
    stage.say('second\n');
    await keeper.finish(VM);
    assert.equal(await stage.read(keeper), 'second\n');
    assert.equal(await stage.read(keeper, { run: 'previous' }), 'first\n');
  });

  it('takes nothing from a link or a folder that the guest put there (§9.4-7)', async () => {
    writeFileSync(join(stage.root, 'secret'), 'a secret of the Mac\n');
    symlinkSync(join(stage.root, 'secret'), stage.guestLog);
    await keeper.finish(VM);
    assert.equal(await stage.read(keeper), '');
  });

  it('begins again with a guest that emptied its file', async () => {
    stage.say('a long first line\n');
    await keeper.finish(VM);
    writeFileSync(stage.guestLog, 'short\n');
    await keeper.resume(VM);
    await keeper.finish(VM);
    assert.equal(await stage.read(keeper), 'a long first line\nshort\n');
  });

  it('keeps a line of any length whole, and its characters too', async () => {
    const line = 'ä€'.repeat(30_000);
    stage.say(`${line}\nshort\n`);
    await keeper.finish(VM);
    assert.equal(await stage.read(keeper), `${line}\nshort\n`);
    assert.match(
      await stage.read(keeper, { timestamps: true }),
      /^2026-11-16T10:00:00.000000000Z ä€[ä€]+\n2026-\S+ short\n$/,
    );
  });

  it('is bounded: old parts go while new ones come', async () => {
    const line = `${'x'.repeat(1_000)}\n`;
    for (let part = 0; part < 7; part += 1) {
      stage.say(line.repeat(10_000));
      await keeper.resume(VM);
      await keeper.finish(VM);
    }
    const sizes = readdirSync(stage.folder).map((name) => readFileSync(join(stage.folder, name)).length);
    assert.equal(sizes.length, 5);
    assert.ok(Math.max(...sizes) < 12_000_000, `parts of ${sizes.join()}`);
    assert.equal(await stage.read(keeper, { tailLines: 2 }), line.repeat(2));
  });

  describe('is read in part:', () => {
    const LINES = Array.from({ length: 10 }, (_, at) => `line ${at}`);
    const ROWS: readonly { readonly story: string; readonly options: Partial<LogOptions>; readonly is: string }[] = [
      { story: 'the last two lines', options: { tailLines: 2 }, is: 'line 8\nline 9\n' },
      { story: 'no line at all', options: { tailLines: 0 }, is: '' },
      { story: 'more lines than there are', options: { tailLines: 50 }, is: `${LINES.join('\n')}\n` },
      { story: 'exactly all lines', options: { tailLines: 10 }, is: `${LINES.join('\n')}\n` },
      { story: 'since a time', options: { sinceMs: Date.parse('2026-11-16T10:00:08Z') }, is: 'line 8\nline 9\n' },
      { story: 'since a time that has not come', options: { sinceMs: Date.parse('2026-11-16T11:00:00Z') }, is: '' },
      { story: 'so many bytes', options: { limitBytes: 10 }, is: 'line 0\nlin' },
      { story: 'the stream that nobody wrote to', options: { streams: ['stderr'] }, is: '' },
      {
        story: 'with times',
        options: { tailLines: 1, timestamps: true },
        is: '2026-11-16T10:00:09.000000000Z line 9\n',
      },
    ];
    for (const { story, options, is } of ROWS) {
      it(story, async () => {
        for (const line of LINES) {
          stage.say(`${line}\n`);
          await keeper.resume(VM);
          await keeper.finish(VM);
          stage.clock.advance(1_000);
        }
        assert.equal(await stage.read(keeper, options), is);
      });
    }
  });

  it('is read over the borders of its files', async () => {
    await keeper.finish(VM);
    const head = '2026-11-16T10:00:00.000000000Z stdout F:0:0';
    writeFileSync(join(stage.folder, '0000-00000001.log'), `${head} a\n${head} b\n`);
    writeFileSync(join(stage.folder, '0000-00000002.log'), `${head} c\n${head} d\n`);
    const tails = ['', 'd\n', 'c\nd\n', 'b\nc\nd\n', 'a\nb\nc\nd\n', 'a\nb\nc\nd\n'];
    for (const [tailLines, is] of tails.entries()) assert.equal(await stage.read(keeper, { tailLines }), is);
  });

  it('is followed to its end by everybody who reads it', async () => {
    stage.say('one\n');
    const options = { ...parseLogOptions(new URLSearchParams('follow=true'), 0) };
    const chunks: string[] = [];
    const first = Promise.withResolvers<void>();
    const follow = async (): Promise<void> => {
      for await (const chunk of readRun(stage.sourceOf(keeper), { run: 0, options, signal: neverAborted() })) {
        chunks.push(Buffer.from(chunk).toString());
        first.resolve();
      }
    };
    const reading = follow();
    stage.clock.advance(1_000);
    await first.promise;
    stage.say('two\n');
    await keeper.finish(VM);
    await reading;
    assert.equal(chunks.join(''), 'one\ntwo\n');
  });

  it('lets a reader go who wants no more', async () => {
    const gone = new AbortController();
    const options = parseLogOptions(new URLSearchParams('follow=true'), 0);
    const reading = readRun(stage.sourceOf(keeper), { run: 0, options, signal: gone.signal }).next();
    gone.abort();
    assert.equal((await reading).done, true);
  });
});

describe('what is asked of a log', () => {
  const REFUSED = [
    'tailLines=-1',
    'tailLines=x',
    'limitBytes=0',
    'sinceSeconds=0',
    'sinceTime=yesterday',
    'stream=Both',
    'sinceSeconds=1&sinceTime=2026-11-16T10:00:00Z',
    'stream=Stdout&tailLines=1',
  ];
  for (const query of REFUSED) {
    it(`is refused: ${query}`, () => assert.throws(() => parseLogOptions(new URLSearchParams(query), 0)));
  }
});
