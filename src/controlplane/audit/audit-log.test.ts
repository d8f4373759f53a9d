/** What is told of requests, through the API as somebody outside has it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSystemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { createSystemRandom } from '../../base/random.ts';
import { ADMIN, type User } from '../auth/user.ts';
import { createGuardedApi } from '../control-plane.ts';
import { createStore } from '../store/store.ts';
import { createScriptedLog } from '../store/testing/scripted-log.ts';
import type { AuditEvent } from './audit-event.ts';
import type { AuditLog } from './audit-log.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const NOBODY: User = { name: 'nobody', groups: ['system:authenticated'] };

interface Asking {
  readonly body?: object;
  readonly user?: User;
  readonly headers?: Readonly<Record<string, string>>;
}

const open = (covers: AuditLog['covers']) => {
  const told: AuditEvent[] = [];
  const clock = createSystemClock();
  const auditLog: AuditLog = { covers, write: (event) => void told.push(event) };
  const scripted = createScriptedLog();
  const store = createStore({ clock, log: scripted.log });
  const { api } = createGuardedApi({ store, clock, random: createSystemRandom(), logger: silentLogger, auditLog });
  const ask = async (method: string, path: string, { body, user = ADMIN, headers = {} }: Asking = {}) => {
    const text = body && { body: JSON.stringify(body) };
    const answered = api.answer({
      method,
      path,
      headers: { 'content-type': 'application/json', ...headers },
      user,
      ...text,
    });
    scripted.endTurn();
    return answered;
  };
  const lines = () =>
    told.map(({ user, impersonatedUser, verb, objectRef, responseStatus }) =>
      [
        user.username,
        ...(impersonatedUser === undefined ? [] : [`as ${impersonatedUser.username} of ${impersonatedUser.groups}`]),
        verb,
        objectRef?.name ?? '-',
        responseStatus.code,
      ].join(' '),
    );
  return { ...scripted, told, ask, lines };
};

const mapOf = (name: string) => ({ body: { metadata: { name } } });

describe('an audit log', () => {
  it('is told of writes, also of those that are refused, and not of reads', async () => {
    const { ask, lines } = open('writes');
    await ask('POST', MAPS, mapOf('a'));
    await ask('GET', `${MAPS}/a`);
    await ask('GET', MAPS);
    await ask('POST', MAPS, { ...mapOf('b'), user: NOBODY });
    await ask('DELETE', `${MAPS}/a`);
    assert.deepEqual(lines(), ['macfleet-admin create a 201', 'nobody create - 403', 'macfleet-admin delete a 200']);
  });

  it('is told of reads too where that was asked for', async () => {
    const { ask, lines } = open('all');
    await ask('GET', MAPS);
    await ask('GET', '/version');
    assert.deepEqual(lines(), ['macfleet-admin list - 200', 'macfleet-admin get - 200']);
  });

  it('has the id that the answer has', async () => {
    const { ask, told } = open('writes');
    const { headers } = await ask('POST', MAPS, mapOf('a'));
    await ask('POST', MAPS, { ...mapOf('b'), headers: { 'audit-id': 'chosen' } });
    assert.deepEqual(
      told.map(({ auditID }) => auditID),
      [headers['audit-id'], 'chosen'],
    );
  });

  it('says as whom a request was served, and nothing of whom it might not be', async () => {
    const { ask, lines } = open('writes');
    const headers = { 'impersonate-user': 'jane', 'impersonate-group': 'system:masters' };
    await ask('POST', MAPS, { ...mapOf('a'), headers });
    await ask('POST', MAPS, { ...mapOf('b'), headers, user: NOBODY });
    assert.deepEqual(lines(), [
      'macfleet-admin as jane of system:masters,system:authenticated create a 201',
      'nobody create - 403',
    ]);
  });

  it('tells of a write that the disk did not take as what was answered: an error', async () => {
    const { ask, lines, told, fill } = open('writes');
    fill('full');
    const { status, headers } = await ask('POST', MAPS, mapOf('a'));
    assert.equal(status, 500);
    assert.deepEqual(lines(), ['macfleet-admin create - 500']);
    assert.equal(told[0]?.auditID, headers['audit-id']);
    assert.notEqual(told[0]?.auditID, '');
  });
});
