import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../../../base/errors.ts';
import { createLoggerTo } from '../../../base/logger.ts';
import { Secret } from '../../../base/secret.ts';
import { createManualClock } from '../../../base/testing/manual-clock.ts';
import { letTimePass } from '../testing/scripted-transport.ts';
import { cachedCredentials, type LoadedCredentials } from './credentials.ts';

const { signal } = new AbortController();
const failure = new FleetError('denied', { code: 'FileUnreadable', message: 'gone' });

const start = (options: { freshForMs?: number; expiresAfterMs?: number; renewAfterMs?: number } = {}) => {
  const clock = createManualClock();
  const lines: string[] = [];
  const state = { token: 'one', loads: 0, fails: false };
  const source = cachedCredentials({
    clock,
    logger: createLoggerTo((level, message) => lines.push(`${level}: ${message}`)),
    load: async (): Promise<LoadedCredentials> => {
      state.loads += 1;
      if (state.fails) throw failure;
      const { expiresAfterMs, renewAfterMs } = options;
      return {
        credentials: { token: new Secret(state.token) },
        ...(expiresAfterMs === undefined ? {} : { expiresAtMs: clock.now() + expiresAfterMs }),
        ...(renewAfterMs === undefined ? {} : { renewAtMs: clock.now() + renewAfterMs }),
      };
    },
    ...(options.freshForMs === undefined ? {} : { freshForMs: options.freshForMs }),
  });
  const token = async (): Promise<string | undefined> => (await source.current(signal)).token?.reveal();
  return { clock, source, state, lines, token };
};

describe('credentials', () => {
  it('are loaded once by however many callers', async () => {
    const { state, token } = start();
    await Promise.all([token(), token(), token()]);
    await token();
    assert.equal(state.loads, 1);
  });

  it('from files are looked at again after their time', async () => {
    const { clock, state, token } = start({ freshForMs: 60_000 });
    await token();
    state.token = 'two';
    clock.advance(59_999);
    assert.equal(await token(), 'one');
    clock.advance(1);
    assert.equal(await token(), 'two');
    assert.equal(state.loads, 2);
  });

  it('stay the same object while their content is the same', async () => {
    const { clock, source } = start({ freshForMs: 60_000 });
    const first = await source.current(signal);
    clock.advance(60_000);
    assert.equal(await source.current(signal), first);
  });

  it('that expire are replaced shortly before', async () => {
    const { clock, state, token } = start({ expiresAfterMs: 3_600_000 });
    await token();
    state.token = 'two';
    clock.advance(3_600_000 - 30_001);
    assert.equal(await token(), 'one');
    clock.advance(1);
    assert.equal(await token(), 'two');
  });

  it('are replaced when newer ones are due, also right after a look', async () => {
    const { clock, state, token } = start({ freshForMs: 20_000, expiresAfterMs: 30_000, renewAfterMs: 21_000 });
    await token();
    clock.advance(20_999);
    state.token = 'two';
    state.fails = true;
    assert.equal(await token(), 'one');
    state.fails = false;
    clock.advance(1);
    assert.equal(await token(), 'two');
  });

  it('that are good are shown while newer ones keep everybody waiting', async () => {
    const clock = createManualClock();
    const shown = { token: new Secret('one') };
    const [renewAtMs, expiresAtMs] = [clock.now() + 60_000, clock.now() + 3_600_000];
    let loads = 0;
    const source = cachedCredentials({
      clock,
      logger: createLoggerTo(() => undefined),
      load: async () => {
        loads += 1;
        if (loads > 1) await new Promise(() => undefined);
        return { credentials: shown, renewAtMs, expiresAtMs };
      },
    });
    await source.current(signal);
    clock.advance(60_000);
    assert.equal(await letTimePass(clock, source.current(signal)), shown);
    assert.ok(clock.now() < renewAtMs + 2_000, 'the one who began to look waits for a moment');
    assert.equal(await source.current(signal), shown, 'and nobody else at all');
    assert.equal(loads, 2);
  });

  it('that cannot be renewed stay in use until they expire, and it is said', async () => {
    const { clock, state, token, lines } = start({ expiresAfterMs: 60_000 });
    await token();
    state.fails = true;
    clock.advance(59_999);
    assert.equal(await token(), 'one');
    assert.deepEqual(lines, ['warn: Keeping the old credentials, because new ones could not be loaded']);
    clock.advance(1);
    await assert.rejects(token(), { code: 'FileUnreadable' });
  });

  it('that cannot be renewed are not looked for at every request', async () => {
    const { clock, state, token } = start({ expiresAfterMs: 60_000 });
    await token();
    state.fails = true;
    clock.advance(30_000);
    for (let at = 0; at < 50; at += 1) await token();
    assert.equal(state.loads, 2);
    clock.advance(10_000);
    await token();
    assert.equal(state.loads, 3);
  });

  it('that live but seconds are replaced at their end', async () => {
    const { clock, state, token } = start({ expiresAfterMs: 5_000 });
    await token();
    clock.advance(5_000);
    await token();
    assert.equal(state.loads, 2);
  });

  it('that never loaded are an error each time, and loaded once they can be', async () => {
    const { state, token } = start();
    state.fails = true;
    await assert.rejects(token(), failure);
    state.fails = false;
    assert.equal(await token(), 'one');
  });

  it('that hang end at a deadline', async () => {
    const clock = createManualClock();
    const logger = createLoggerTo(() => undefined);
    const source = cachedCredentials({ clock, logger, load: () => new Promise(() => undefined) });
    await assert.rejects(letTimePass(clock, source.current(signal)), { code: 'DeadlineExceeded' });
  });

  it('do not hold a caller who gave up', async () => {
    const clock = createManualClock();
    const logger = createLoggerTo(() => undefined);
    const source = cachedCredentials({ clock, logger, load: () => new Promise(() => undefined) });
    const controller = new AbortController();
    const waiting = source.current(controller.signal);
    controller.abort();
    await assert.rejects(waiting, { kind: 'cancelled' });
  });
});

describe('refused credentials', () => {
  it('are looked for again', async () => {
    const { clock, source, state } = start();
    const shown = await source.current(signal);
    clock.advance(10_000);
    state.token = 'two';
    assert.equal((await source.renew(shown, signal)).token?.reveal(), 'two');
  });

  it('come back as they are when there are no others', async () => {
    const { clock, source } = start();
    const shown = await source.current(signal);
    clock.advance(10_000);
    assert.equal(await source.renew(shown, signal), shown);
  });

  it('are not looked for when somebody already did', async () => {
    const { clock, source, state } = start();
    const shown = await source.current(signal);
    clock.advance(10_000);
    state.token = 'two';
    const [renewed] = await Promise.all([source.renew(shown, signal), source.renew(shown, signal)]);
    clock.advance(10_000);
    assert.equal(await source.renew(shown, signal), renewed);
    assert.equal(state.loads, 2);
  });

  it('are not looked for at every refusal', async () => {
    const { clock, source, state } = start();
    const shown = await source.current(signal);
    clock.advance(10_000);
    for (let at = 0; at < 50; at += 1) await source.renew(shown, signal);
    assert.equal(state.loads, 2);
  });
});
