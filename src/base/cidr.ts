/** IP addresses and the ranges they are in. Pure: node:net, which has the like, is for those who open sockets. */
import { FleetError } from './errors.ts';

export interface Cidr {
  readonly text: string;
  readonly family: 4 | 6;
  readonly bits: number;
  /** The bits of the prefix, as a number. */
  readonly prefix: bigint;
}

interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

const WIDTH = { 4: 32, 6: 128 } as const;
const OCTET = /^(0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9a-f]{1,4}$/i;

/** `10.0.0.0/8`, `fe80::/10`; throws `invalid` for anything else. */
export const parseCidr = (text: string): Cidr => {
  const [address = '', length = '', ...rest] = text.split('/');
  const parsed = parseAddress(address);
  const bits = OCTET.test(length) ? Number(length) : Number.NaN;
  if (parsed === undefined || rest.length > 0 || !(bits <= WIDTH[parsed.family])) {
    throw new FleetError('invalid', {
      code: 'BadCidr',
      message: `"${text}" is no range of addresses`,
      hint: 'Write an address, a slash and the length of the prefix: 10.0.0.0/8.',
    });
  }
  return { text, family: parsed.family, bits, prefix: parsed.value >> BigInt(WIDTH[parsed.family] - bits) };
};

/** What is no address is in no range. An IPv4 address inside an IPv6 one counts as what it is. */
export const isInCidr = (address: string, { family, bits, prefix }: Cidr): boolean => {
  const parsed = parseAddress(address);
  return parsed?.family === family && parsed.value >> BigInt(WIDTH[family] - bits) === prefix;
};

const parseAddress = (text: string): Address | undefined => {
  const bare = text.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
  return bare.includes(':') ? parseIpv6(bare) : parseIpv4(bare);
};

const parseIpv4 = (text: string): Address | undefined => {
  const octets = text.split('.');
  if (octets.length !== 4 || !octets.every((octet) => OCTET.test(octet) && Number(octet) <= 255)) return undefined;
  return { family: 4, value: octets.reduce((value, octet) => (value << 8n) | BigInt(octet), 0n) };
};

const parseIpv6 = (text: string): Address | undefined => {
  const [head = '', tail, ...rest] = text.split('::');
  if (rest.length > 0) return undefined;
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')];
  const gap = 8 - before.length - after.length;
  if (tail === undefined ? gap !== 0 : gap < 1) return undefined;
  const groups = [...before, ...Array.from({ length: gap }, () => '0'), ...after];
  if (!groups.every((group) => GROUP.test(group))) return undefined;
  return { family: 6, value: groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n) };
};

const groupsOf = (text: string): readonly string[] => (text === '' ? [] : text.split(':'));
