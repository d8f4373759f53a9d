import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseAttempt } from '../auth/attempt.ts';
import { ADMIN, nodeUser } from '../auth/user.ts';
import { type AuditEvent, isRead, toAuditEvent } from './audit-event.ts';

const [RECEIVED_MS, ANSWERED_MS] = [Date.parse('2026-11-17T11:00:00.120Z'), Date.parse('2026-11-17T11:00:00.125Z')];

interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
  readonly body?: string | (() => () => void);
}

const tell = ({ method = 'GET', path, headers = {}, status = 200, body = '{}' }: Asked): AuditEvent =>
  toAuditEvent({
    request: { method, path, headers, user: { ...nodeUser('a'), extra: { 'credential-id': ['X509SHA256=secret'] } } },
    response: { status, headers: { 'audit-id': 'the-id' }, body },
    actingAs: undefined,
    receivedMs: RECEIVED_MS,
    answeredMs: ANSWERED_MS,
  });

describe('a request in an audit log', () => {
  it('is an Event of audit.k8s.io/v1 with who, what, when and how it ended, and nothing of what was sent', () => {
    const path = '/api/v1/namespaces/ci/pods/p/status?fieldManager=agent';
    const headers = { 'user-agent': 'agent/1', authorization: 'Bearer secret', 'impersonate-extra-key': 'secret' };
    const event = tell({ method: 'PATCH', path, headers, status: 409, body: '{"message":"secret"}' });
    assert.deepEqual(event, {
      ...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'Metadata', auditID: 'the-id' },
      ...{ stage: 'ResponseComplete', requestURI: path, verb: 'patch' },
      user: { username: 'system:node:a', groups: ['system:nodes', 'system:authenticated'] },
      userAgent: 'agent/1',
      objectRef: { resource: 'pods', namespace: 'ci', name: 'p', apiVersion: 'v1', subresource: 'status' },
      responseStatus: { code: 409 },
      requestReceivedTimestamp: '2026-11-17T11:00:00.120000Z',
      stageTimestamp: '2026-11-17T11:00:00.125000Z',
    });
    assert.doesNotMatch(JSON.stringify(event), /secret/);
  });

  it('says in whose name it was served, if not in that of who sent it', () => {
    const request = { method: 'GET', path: '/version', headers: {}, user: ADMIN };
    const response = { status: 200, headers: {}, body: '' };
    const times = { receivedMs: RECEIVED_MS, answeredMs: ANSWERED_MS };
    const event = toAuditEvent({ request, response, actingAs: { name: 'jane', groups: ['dev'] }, ...times });
    assert.deepEqual(
      [event.user.username, event.impersonatedUser],
      [ADMIN.name, { username: 'jane', groups: ['dev'] }],
    );
    assert.equal(event.objectRef, undefined, 'a path is no object');
  });

  it('is told when it begins, where its answer is a stream', () => {
    assert.equal(tell({ path: '/api/v1/pods?watch=1', body: () => () => undefined }).stage, 'ResponseStarted');
    assert.equal(tell({ path: '/api/v1/pods?watch=1', status: 403 }).stage, 'ResponseComplete');
  });

  it('does not let a client write as much as it likes', () => {
    const { userAgent } = tell({ path: '/version', headers: { 'user-agent': 'x'.repeat(5_000) } });
    assert.equal(userAgent, `${'x'.repeat(1_024)}...TRUNCATED`);
  });

  const NAMES: readonly (readonly [story: string, asked: Asked, name: string | undefined])[] = [
    [
      'what is made has the name that it was given by the server',
      { method: 'POST', path: '/api/v1/namespaces/ci/pods', status: 201, body: '{"metadata":{"name":"p-x7k2p"}}' },
      'p-x7k2p',
    ],
    [
      'what is refused has none',
      { method: 'POST', path: '/api/v1/namespaces/ci/pods', status: 409, body: '{"metadata":{"name":"no"}}' },
      undefined,
    ],
    [
      'an answer in another form has none',
      { method: 'POST', path: '/api/v1/namespaces/ci/pods', status: 201, body: 'no JSON' },
      undefined,
    ],
    ['a list has none', { path: '/api/v1/namespaces/ci/pods', body: '{"metadata":{"name":"no"}}' }, undefined],
    [
      'what is asked of an object has its name',
      { method: 'POST', path: '/api/v1/namespaces/ci/pods/p/binding', status: 201, body: '{}' },
      'p',
    ],
  ];
  for (const [story, asked, name] of NAMES) it(story, () => assert.equal(tell(asked).objectRef?.name, name));
});

describe('a read', () => {
  const rows: readonly (readonly [method: string, path: string, is: boolean])[] = [
    ['GET', '/api/v1/pods', true],
    ['GET', '/api/v1/pods?watch=true', true],
    ['HEAD', '/api/v1/namespaces/a/pods/p', true],
    ['GET', '/healthz', true],
    ['HEAD', '/healthz', true],
    ['POST', '/api/v1/namespaces/a/pods', false],
    ['DELETE', '/api/v1/namespaces/a/pods', false],
    ['PATCH', '/api/v1/namespaces/a/pods/p', false],
    ['POST', '/apis/authentication.k8s.io/v1/tokenreviews', false],
    ['POST', '/healthz', false],
  ];
  for (const [method, path, is] of rows) {
    it(`is ${is ? '' : 'not '}${method} ${path}`, () => {
      assert.equal(isRead(parseAttempt({ method, path, user: ADMIN })), is);
    });
  }
});
