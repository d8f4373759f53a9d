import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isInCidr, parseCidr } from './cidr.ts';

describe('ranges of addresses', () => {
  const ROWS = [
    { story: 'inside', address: '10.200.3.4', cidr: '10.0.0.0/8', is: true },
    { story: 'outside', address: '11.0.0.1', cidr: '10.0.0.0/8', is: false },
    { story: 'a prefix inside an octet', address: '172.31.255.255', cidr: '172.16.0.0/12', is: true },
    { story: 'just behind it', address: '172.32.0.0', cidr: '172.16.0.0/12', is: false },
    { story: 'host bits in the range do not count', address: '10.9.9.9', cidr: '10.1.2.3/8', is: true },
    { story: 'everything', address: '8.8.8.8', cidr: '0.0.0.0/0', is: true },
    { story: 'IPv4 within IPv6, as sockets tell it', address: '::ffff:127.0.0.1', cidr: '127.0.0.0/8', is: true },
    { story: 'IPv6 inside', address: 'fd12::1', cidr: 'fc00::/7', is: true },
    { story: 'IPv6 with its zone', address: 'fe80::1%en0', cidr: 'fe80::/10', is: true },
    { story: 'IPv6 outside', address: '2001:db8::1', cidr: 'fe80::/10', is: false },
    { story: 'one address', address: '::1', cidr: '::1/128', is: true },
    { story: 'the other family', address: '::1', cidr: '0.0.0.0/0', is: false },
    { story: 'no address at all', address: 'localhost', cidr: '0.0.0.0/0', is: false },
  ];
  for (const { story, address, cidr, is } of ROWS) {
    it(`${story}: ${address} in ${cidr}`, () => assert.equal(isInCidr(address, parseCidr(cidr)), is));
  }

  for (const bad of [
    '',
    '10.0.0.0',
    '10.0.0.0/33',
    '10.0.0/8',
    '10.0.0.256/8',
    '1::2::3/8',
    '::/129',
    'a/8',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
  ]) {
    it(`are refused by name: "${bad}"`, () => assert.throws(() => parseCidr(bad), /is no range of addresses/));
  }
});
