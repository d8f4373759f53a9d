/** Log lines: one JSON object each, a constant sentence, values as keys, times from the injected clock. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FleetError, type LogLevel } from './errors.ts';
import { createLogger, createLoggerTo, type Logger, silentLogger } from './logger.ts';
import { createManualClock } from './testing/manual-clock.ts';

const record = (level: LogLevel, use: (logger: Logger) => void): readonly Readonly<Record<string, unknown>>[] => {
  let text = '';
  const destination = {
    write: (line: string) => {
      text += line;
    },
  };
  use(createLogger({ clock: createManualClock(Date.UTC(2026, 0, 2)), level, destination }));
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
};

describe('a log line', () => {
  test('holds level, time, sentence and fields, and nothing else', () => {
    const lines = record('info', (logger) => logger.info('Adopted host', { host: 'm1', attempt: 2 }));
    assert.deepEqual(lines, [
      { level: 'info', time: '2026-01-02T00:00:00.000Z', host: 'm1', attempt: 2, message: 'Adopted host' },
    ]);
  });

  test('needs no fields', () => {
    assert.equal(record('info', (logger) => logger.warn('Stopping'))[0]?.['message'], 'Stopping');
  });

  test('is written at its level and above', () => {
    const lines = record('warn', (logger) => {
      logger.debug('d');
      logger.info('i');
      logger.warn('w');
      logger.error('e');
      logger.log('error', 'l');
    });
    assert.deepEqual(
      lines.map(({ level, message }) => [level, message]),
      [
        ['warn', 'w'],
        ['error', 'e'],
        ['error', 'l'],
      ],
    );
  });

  test('carries the fields of the logger it came from, the nearest winning', () => {
    const lines = record('info', (logger) => {
      const child = logger.with({ controller: 'host', host: 'm1' }).with({ host: 'm2' });
      child.info('Looking', { attempt: 1 });
      child.info('Looking closer', { host: 'm3' });
      logger.info('Elsewhere');
    });
    const [{ controller, host, attempt } = {}, closer, elsewhere] = lines;
    assert.deepEqual([controller, host, attempt], ['host', 'm2', 1]);
    assert.equal(closer?.['host'], 'm3');
    assert.equal('host' in (elsewhere ?? {}), false);
  });
});

describe('an error in a log line', () => {
  const errorOf = (error: unknown): unknown =>
    record('info', (logger) => logger.error('Failed', { error }))[0]?.['error'];

  test('of ours shows kind, code, hint and details, and no stack', () => {
    const error = new FleetError('unavailable', {
      code: 'ApiAway',
      message: 'away',
      hint: 'Wait.',
      details: { port: 6443 },
    });
    assert.deepEqual(errorOf(error), {
      message: 'away',
      kind: 'unavailable',
      code: 'ApiAway',
      hint: 'Wait.',
      details: { port: 6443 },
    });
  });

  test('that is a bug shows its stack', () => {
    const fields = errorOf(new FleetError('bug', { code: 'X', message: 'x' }));
    assert.match(JSON.stringify(fields), /"stack":"FleetError: x\\n {4}at /);
  });

  test('of somebody else shows its name and stack', () => {
    const fields = errorOf(new TypeError('x is undefined'));
    assert.match(JSON.stringify(fields), /"name":"TypeError","stack":"TypeError: x is undefined/);
  });

  test('shows its causes', () => {
    const cause = new FleetError('denied', { code: 'NoKey', message: 'no key' });
    const fields = errorOf(new FleetError('contract', { code: 'X', message: 'x', cause }));
    assert.match(JSON.stringify(fields), /"cause":\{"message":"no key","kind":"denied","code":"NoKey"/);
  });

  test('whose causes form a ring is still one line', () => {
    const ring = new Error('ring');
    ring.cause = ring;
    assert.match(JSON.stringify(errorOf(ring)), /"cause":"ring"/);
  });

  test('that is no error is shown as it is', () => assert.equal(errorOf('plain text'), 'plain text'));
});

describe('loggers without a stream', () => {
  test('hand each line to a function', () => {
    const lines: unknown[] = [];
    const logger = createLoggerTo((level, message, fields) => lines.push([level, message, fields]));
    logger.with({ a: 1 }).debug('Seen', { b: 2 });
    assert.deepEqual(lines, [['debug', 'Seen', { a: 1, b: 2 }]]);
  });

  test('or say nothing', () => assert.doesNotThrow(() => silentLogger.with({ a: 1 }).error('Unheard')));
});
