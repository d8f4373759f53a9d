import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { GitHubApp } from '../../github/port.ts';
import { createHarness } from '../../kube/testing/harness.ts';
import { SECRETS } from '../../kube/types/core.ts';
import type { HostRunner } from '../host/ports.ts';
import { createRunnerRegistrations } from './runner-token.ts';

const encode = (text: string): string => Buffer.from(text).toString('base64');
const RUNNER = { ghOrg: 'tuist', ghRunnerLabels: 'a,b', ghRunnerVersion: '2.330.0', ghAppSecretName: 'github-app' };
const WHOLE = { 'app-id': encode(' 7\n'), 'installation-id': encode('42\n'), 'private-key': encode('PEM') };

const stage = async (data?: Readonly<Record<string, string>>, trouble?: FleetError) => {
  const { client } = createHarness();
  const asked: { readonly app: GitHubApp; readonly organisation: string }[] = [];
  const github = {
    registrationToken: async (app: GitHubApp, organisation: string) => {
      asked.push({ app, organisation });
      if (trouble !== undefined) throw trouble;
      return new Secret('registration');
    },
  };
  const metadata = { namespace: 'ci', name: 'github-app' };
  if (data !== undefined) await client.create(SECRETS, { metadata, data }, { signal: neverAborted() });
  const registrations = createRunnerRegistrations({ client, github });
  const ask = (runner: HostRunner) => registrations.registrationToken({ namespace: 'ci', runner }, neverAborted());
  return { asked, ask };
};

describe('the registration of a builder (T-69)', () => {
  it('is asked of GitHub for the organisation that the machine names, with ids that are trimmed', async () => {
    const { asked, ask } = await stage(WHOLE);
    assert.equal((await ask(RUNNER)).reveal(), 'registration');
    const [first] = asked;
    assert.deepEqual([first?.app.appId, first?.app.installationId, first?.organisation], ['7', '42', 'tuist']);
  });

  it('names all that is missing, and asks nobody', async () => {
    const { asked, ask } = await stage({ 'app-id': encode('7') });
    await assert.rejects(ask(RUNNER), { message: /lacks installation-id, private-key/ });
    const { ghAppSecretName: _, ...without } = RUNNER;
    await assert.rejects(ask(without), { message: /names no Secret/ });
    assert.deepEqual(asked, []);
  });

  it('is not there without its Secret', async () => {
    const { ask } = await stage();
    await assert.rejects(ask(RUNNER), { kind: 'not-found' });
  });

  it('fails as GitHub does', async () => {
    const { ask } = await stage(WHOLE, new FleetError('denied', { code: 'GitHubRefused', message: 'no' }));
    await assert.rejects(ask(RUNNER), { code: 'GitHubRefused' });
  });
});
