import assert from 'node:assert/strict';
import test from 'node:test';
import { FleetError } from '../../base/errors.ts';
import { mapChannelError, mapSshError } from './ssh2-errors.ts';

/** An error as ssh2 makes it. */
const ssh2Error = (message: string, members: Readonly<Record<string, unknown>> = {}): Error =>
  Object.assign(new Error(message), members);

const connecting = { address: '203.0.113.7', during: 'connecting', isKeyRefused: false } as const;
const session = { ...connecting, during: 'session' } as const;

const ROWS: readonly {
  readonly story: string;
  readonly thrown: unknown;
  readonly when?: 'session';
  readonly isKeyRefused?: true;
  readonly is: string;
}[] = [
  {
    story: 'nobody listens',
    thrown: ssh2Error('connect ECONNREFUSED', { level: 'client-socket', code: 'ECONNREFUSED' }),
    is: 'unavailable HostUnreachable',
  },
  {
    story: 'no packet comes back',
    thrown: ssh2Error('connect ETIMEDOUT', { level: 'client-socket', code: 'ETIMEDOUT' }),
    is: 'unavailable HostUnreachable',
  },
  {
    story: 'there is no route',
    thrown: ssh2Error('connect EHOSTUNREACH', { level: 'client-socket', code: 'EHOSTUNREACH' }),
    is: 'unavailable HostUnreachable',
  },
  {
    story: 'the handshake takes too long',
    thrown: ssh2Error('Timed out while waiting for handshake', { level: 'client-timeout' }),
    is: 'unavailable HostUnreachable',
  },
  { story: 'the peer closes without a word', thrown: undefined, is: 'unavailable HostUnreachable' },
  {
    story: 'the peer hangs up in the handshake',
    thrown: ssh2Error('Connection lost before handshake', { level: 'protocol' }),
    is: 'unavailable HostUnreachable',
  },
  {
    story: 'the name has no address',
    thrown: ssh2Error('lookup failed', { level: 'client-dns' }),
    is: 'unavailable HostAddressUnknown',
  },
  {
    story: 'we refuse the key',
    thrown: ssh2Error('Host denied (verification failed)', { level: 'handshake' }),
    isKeyRefused: true,
    is: 'denied HostKeyChanged',
  },
  {
    story: 'the Mac refuses our key',
    thrown: ssh2Error('All configured authentication methods failed', { level: 'client-authentication' }),
    is: 'denied AuthenticationFailed',
  },
  {
    story: 'there is no algorithm in common',
    thrown: ssh2Error('Handshake failed: no matching host key format', { level: 'handshake' }),
    is: 'contract HostNotSpeakingSsh',
  },
  {
    story: 'the greeting is no greeting',
    thrown: ssh2Error('Header line too long'),
    is: 'contract HostNotSpeakingSsh',
  },
  {
    story: 'the connection is reset under a command',
    thrown: ssh2Error('read ECONNRESET', { level: 'client-socket', code: 'ECONNRESET' }),
    when: 'session',
    is: 'unavailable HostConnectionLost',
  },
  {
    story: 'the peer answers no keepalive',
    thrown: ssh2Error('Keepalive timeout', { level: 'client-timeout' }),
    when: 'session',
    is: 'unavailable HostConnectionLost',
  },
  {
    story: 'the connection closes under a command',
    thrown: undefined,
    when: 'session',
    is: 'unavailable HostConnectionLost',
  },
  {
    story: 'a packet is damaged under a command',
    thrown: ssh2Error('Invalid MAC', { level: 'protocol' }),
    when: 'session',
    is: 'contract HostNotSpeakingSsh',
  },
  {
    story: 'it is one of ours already',
    thrown: new FleetError('unavailable', { code: 'DeadlineExceeded', message: 'too late' }),
    is: 'unavailable DeadlineExceeded',
  },
];

for (const { story, thrown, when, isKeyRefused = false, is } of ROWS) {
  test(`${story}: ${is}`, () => {
    const { kind, code } = mapSshError(thrown, { ...(when === undefined ? connecting : session), isKeyRefused });
    assert.equal(`${kind} ${code}`, is);
  });
}

test('a channel that is not opened says so with the reason, and without one the connection is lost', () => {
  const refused = mapChannelError(ssh2Error('(SSH) Channel open failure: open failed', { reason: 1 }), session);
  assert.equal(`${refused.kind} ${refused.code} ${refused.details['reason']}`, 'unavailable HostRefusedChannel 1');
  assert.equal(mapChannelError(ssh2Error('No response from server'), session).code, 'HostConnectionLost');
});

test('what a foreign peer put into an error is shown short and without control characters', () => {
  const { message } = mapSshError(ssh2Error(`\u001b[2J${'x'.repeat(5_000)}`, { level: 'handshake' }), connecting);
  assert.match(message, /\?\[2Jx+$/);
  assert.ok(message.length < 250);
});
