import assert from 'node:assert/strict';
import test from 'node:test';
import { parseHost, parseHosts } from './parse-host.ts';

const rows: readonly { readonly text: string; readonly host: string }[] = [
  { text: '51.15.0.10', host: '51.15.0.10 22' },
  { text: '127.0.0.1:2201', host: '127.0.0.1 2201' },
  { text: 'mac-1.example.org:2201', host: 'mac-1.example.org 2201' },
  { text: '2001:db8::1', host: '2001:db8::1 22' },
  { text: '[2001:db8::1]:2201', host: '2001:db8::1 2201' },
];

for (const { text, host } of rows) {
  test(`${text} is ${host}`, () => {
    const { address, port } = parseHost(text);
    assert.equal(`${address} ${port}`, host);
  });
}

for (const text of ['', 'm1@host', 'host:', 'host:0', 'host:65536', 'ho st', '-oProxyCommand=id', '$(id)', '/etc']) {
  test(`"${text}" is no host`, () => assert.throws(() => parseHost(text), { code: 'BadHost' }));
}

test('a host that is there twice is refused, also when it is written in two ways', () => {
  assert.throws(() => parseHosts(['a', 'b', 'a:22']), { code: 'HostTwice' });
  assert.equal(parseHosts(['a', 'a:23']).length, 2);
});
