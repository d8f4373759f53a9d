/** What flags of any program may say: from text to a value, or an error that shows what would be right. */
import { FleetError } from '../errors.ts';

/** Where something is served. An empty host means every interface. */
export interface BindAddress {
  readonly host: string;
  readonly port: number;
}

const bad = (code: string, message: string, hint: string): FleetError =>
  new FleetError('invalid', { code, message, hint });

const BIND = /^(?:\[([0-9A-Fa-f:]+)\]|([^:[\]\s]*)):(\d{1,5})$/;
const PORT_MAX = 65_535;

/** `:8080`, `127.0.0.1:8080`, `[::1]:8080`; `0` means not at all, port 0 a free one. */
export const parseBindAddress = (text: string): BindAddress | 'off' => {
  if (text === '0') return 'off';
  const [, ipv6, name, port] = BIND.exec(text) ?? [];
  if (port !== undefined && Number(port) <= PORT_MAX) return { host: ipv6 ?? name ?? '', port: Number(port) };
  throw bad('BadAddress', `"${text}" is no address to listen on`, 'Write :8080, 127.0.0.1:8080, or 0 for none.');
};

/** Trimmed; empty entries do not count. */
export const parseList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

export const parseBoolean = (text: string): boolean => {
  if (text === 'true' || text === 'false') return text === 'true';
  throw bad('BadBoolean', `"${text}" is neither true nor false`, 'Write =true or =false behind the flag.');
};
