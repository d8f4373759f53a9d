/**
 * The log: constant sentences, values as keys, JSON lines through pino to a plain destination. Secrets print as
 * `[redacted]` because a `Secret` serialises itself so; a FleetError shows its kind, code and hint.
 */
import { type DestinationStream, pino } from 'pino';
import type { Clock } from './clock.ts';
import { FleetError, type LogLevel } from './errors.ts';

export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  log(level: LogLevel, message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to every line. */
  with(fields: LogFields): Logger;
}

export interface LoggerOptions {
  readonly clock: Clock;
  readonly level: LogLevel;
  readonly destination: DestinationStream;
}

/** Causes may form a ring. */
const CAUSES_MAX = 8;

/** The shape of an error in a log line: everything an operator needs, never the raw object. */
const toErrorFields = (error: unknown, depth = 0): unknown => {
  if (!(error instanceof Error)) return error;
  if (depth >= CAUSES_MAX) return error.message;
  const base = {
    message: error.message,
    ...(error.cause === undefined ? {} : { cause: toErrorFields(error.cause, depth + 1) }),
  };
  if (!(error instanceof FleetError)) return { ...base, name: error.name, stack: error.stack };
  const { kind, code, hint, details, stack } = error;
  return { ...base, kind, code, hint, details, ...(kind === 'bug' ? { stack } : {}) };
};

export const createLogger = ({ clock, level, destination }: LoggerOptions): Logger => {
  const root = pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: (error: unknown) => toErrorFields(error) },
    },
    destination,
  );
  return wrap((lineLevel, message, fields) => root[lineLevel](fields, message), {});
};

type WriteLine = (level: LogLevel, message: string, fields: LogFields) => void;

const wrap = (write: WriteLine, bound: LogFields): Logger => {
  const log: Logger['log'] = (level, message, fields) => write(level, message, { ...bound, ...fields });
  return {
    log,
    debug: (message, fields) => log('debug', message, fields),
    info: (message, fields) => log('info', message, fields),
    warn: (message, fields) => log('warn', message, fields),
    error: (message, fields) => log('error', message, fields),
    with: (fields) => wrap(write, { ...bound, ...fields }),
  };
};

/** For the simulation and for tests: lines go to a function instead of a stream. */
export const createLoggerTo = (write: WriteLine): Logger => wrap(write, {});

/** For code paths whose caller wants no log. */
export const silentLogger: Logger = createLoggerTo(() => undefined);
