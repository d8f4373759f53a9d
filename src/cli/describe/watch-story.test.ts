/** `describe --watch`: what a person sees while the story goes on, and how it ends. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../../base/errors.ts';
import { readIfThere } from '../../kube/client/if-there.ts';
import { createHarness, WIDGETS } from '../../kube/testing/harness.ts';
import { type Sight, watchStory } from './watch-story.ts';

const LIMIT = { timeout: 20_000 };
const KEY = { namespace: 'ns', name: 'one' };

/** The story of the widget `one`, whose size is all that is told. */
const start = async (isTerminal = false) => {
  const harness = createHarness();
  const { client, clock, create } = harness;
  await create('one', { size: 1 });
  const stop = new AbortController();
  const written: string[] = [];
  const asked: (number | undefined)[] = [];
  let trouble: FleetError | undefined;
  const look = async (): Promise<Sight> => {
    if (trouble !== undefined) throw trouble;
    const object = await readIfThere(WIDGETS, KEY, { kube: client, signal: stop.signal });
    if (object === undefined) throw new FleetError('not-found', { code: 'NoSuchObject', message: 'there is none' });
    const render = async (rowsMax?: number): Promise<string> => {
      asked.push(rowsMax);
      return `size ${object.spec?.size}\n`;
    };
    return { tellers: [{ who: 'widget/one', resource: WIDGETS, object }], eventsVersion: undefined, render };
  };
  const note = (text: string): void => void written.push(text);
  const io = { stdout: note, stderr: note, env: {}, signal: stop.signal, isTerminal, rows: 24 };
  const watching = watchStory({ look, client, clock, output: 'table' }, io);
  const until = async (count: number): Promise<void> => {
    for (let turns = 0; turns < 200 && written.length < count; turns += 1) await harness.advance(500);
  };
  const fail = (error: FleetError | undefined): void => {
    trouble = error;
  };
  return { ...harness, written, asked, watching, until, fail, stop };
};

describe('describe --watch', LIMIT, () => {
  it('tells the story again when it has changed, not otherwise, and ends without an error when it is stopped', async () => {
    const { written, watching, until, resize, advance, stop } = await start();
    await until(1);
    for (let turns = 0; turns < 10; turns += 1) await advance(500);
    assert.deepEqual(written, ['size 1\n']);
    await resize('one', 2);
    await until(2);
    stop.abort();
    await watching;
    assert.deepEqual(written, ['size 1\n', 'size 2\n']);
  });

  it('ends with a word when the object is gone', async () => {
    const { written, watching, until, remove, advance } = await start();
    await until(1);
    await remove('one');
    await until(2);
    await advance(500);
    await watching;
    assert.deepEqual(written, ['size 1\n', 'It is gone.\n']);
  });

  it('waits for a cluster that is away, and goes on with it', async () => {
    const { written, watching, until, resize, fail, stop } = await start();
    await until(1);
    fail(new FleetError('unavailable', { code: 'Away', message: 'nobody answers' }));
    await resize('one', 2);
    await until(2);
    fail(undefined);
    await until(3);
    stop.abort();
    await watching;
    assert.equal(written[1], 'waiting for the cluster: nobody answers\n');
    assert.equal(written.at(-1), 'size 2\n');
  });

  it('keeps to the height of a terminal', async () => {
    const { asked, watching, until, stop } = await start(true);
    await until(1);
    stop.abort();
    await watching;
    assert.deepEqual(asked, [24]);
  });
});
