import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MacHost } from '../../kinds/mac-host.ts';
import { CLAIM, hostWith, SERVER_ID } from '../../kinds/testing/hosts.ts';
import { pickKnownHost, planSsh } from './plan-ssh.ts';

/** Of the key `AAAA`. */
const FINGERPRINT = 'SHA256:cJ6AyISHokEeHuTfufIqhhSS0gxHZRUMDHlKvXD4FHw';
const PIN = { fingerprint: FINGERPRINT, wipes: 0 };
const READY = { fleet: 'macos', hostKey: PIN };
const host = (spec: object, address = '51.15.0.10') =>
  ({ ...hostWith({ ...spec }), status: { server: address === '' ? {} : { address } } }) as unknown as MacHost;

describe('a login to a Mac', () => {
  it('needs its address, its fleet and its host key', () => {
    assert.deepEqual(planSsh(host(READY), { force: false }), {
      ...{ id: SERVER_ID, address: '51.15.0.10', fleet: 'macos', fingerprint: FINGERPRINT },
    });
  });
  const refused = [
    { story: 'one that works for a machine', mac: host({ ...READY, claimRef: CLAIM }), code: 'HostClaimed' },
    { story: 'one without an address', mac: host(READY, ''), code: 'NoAddress' },
    { story: 'one that was in no fleet', mac: host({ hostKey: PIN }), code: 'NoFleet' },
    { story: 'one whose host key nobody knows', mac: host({ fleet: 'macos' }), code: 'HostKeyUnknown' },
  ];
  for (const { story, mac, code } of refused) {
    it(`is refused to ${story}`, () => assert.throws(() => planSsh(mac, { force: false }), { code }));
  }
  it('is forced to one that works for a machine', () => {
    assert.equal(planSsh(host({ ...READY, claimRef: CLAIM }), { force: true }).id, SERVER_ID);
  });
  it('trusts the key on record, under the name of the Mac, and no other that it shows', () => {
    const target = planSsh(host(READY), { force: false });
    const scanned = '# 51.15.0.10:22 SSH-2.0\n51.15.0.10 ssh-rsa BBBB\n51.15.0.10 ssh-ed25519 AAAA\n';
    assert.equal(pickKnownHost(scanned, target), `${SERVER_ID} ssh-ed25519 AAAA\n`);
    assert.equal(pickKnownHost('51.15.0.10 ssh-rsa BBBB\n', target), undefined);
    assert.equal(pickKnownHost('', target), undefined);
  });
});
