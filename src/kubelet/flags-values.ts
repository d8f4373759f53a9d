/** What the flags of tart-kubelet may say: from text to a value, or an error that shows what would be right. */
import { FleetError, type LogLevel } from '../base/errors.ts';
import { parseList } from '../base/flags/flag-values.ts';
import type { AddressSource } from './node/node-address.ts';

const bad = (code: string, message: string, hint: string): FleetError =>
  new FleetError('invalid', { code, message, hint });

const DNS_NAME = /^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/;

export const parseNodeName = (text: string): string => {
  if (DNS_NAME.test(text)) return text;
  throw bad('BadNodeName', `"${text}" is no name of a Node`, 'Lower case letters, digits, dots and dashes, up to 253.');
};

const SOURCES: readonly AddressSource[] = ['auto', 'tailscale'];

export const parseAddressSource = (text: string): AddressSource => {
  const source = SOURCES.find((name) => name === text);
  if (source !== undefined) return source;
  throw bad('BadAddressSource', `"${text}" is no source of an address`, `Write ${SOURCES.join(' or ')}.`);
};

/** `a=1,b=2`; blanks around a pair and empty pairs do not count. */
export const parseLabels = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    parseList(text).map((pair) => {
      const at = pair.indexOf('=');
      const [key, value] = [pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1).trim()];
      if (key !== '') return [key, value];
      throw bad('BadLabel', `"${pair}" is no label`, 'Write key=value, with commas between several.');
    }),
  );

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** Numbers are the original's: the higher, the more is said. */
export const parseLogLevel = (text: string): LogLevel => {
  const level = /^[1-9]\d?$/.test(text) ? 'debug' : LEVELS.find((name) => name === text);
  if (level !== undefined) return level;
  throw bad('BadLogLevel', `"${text}" is no level`, `Write ${LEVELS.join(', ')}.`);
};

export const parsePath = (text: string): string => {
  if (text.startsWith('/')) return text;
  throw bad('BadPath', `"${text}" is no absolute path`, 'Begin it with a slash.');
};
