import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { Secret } from '../../base/secret.ts';
import type { GitHubApp } from '../../github/port.ts';
import { createHarness } from '../../kube/testing/harness.ts';
import { SECRETS } from '../../kube/types/core.ts';
import { resolveRunner } from './runner-token.ts';

const encode = (text: string): string => Buffer.from(text).toString('base64');
const RUNNER = { ghOrg: 'tuist', ghRunnerLabels: 'a,b', ghRunnerVersion: '2.330.0', ghAppSecretName: 'github-app' };
const WHOLE = { 'app-id': encode(' 7\n'), 'installation-id': encode('42\n'), 'private-key': encode('PEM') };

const stage = async (data?: Readonly<Record<string, string>>) => {
  const { client } = createHarness();
  const asked: GitHubApp[] = [];
  const github = {
    registrationToken: async (app: GitHubApp) => {
      asked.push(app);
      return new Secret('registration');
    },
  };
  const metadata = { namespace: 'ci', name: 'github-app' };
  if (data !== undefined) await client.create(SECRETS, { metadata, data }, { signal: neverAborted() });
  const resolve = (runner: typeof RUNNER | undefined | Omit<typeof RUNNER, 'ghAppSecretName'>) =>
    resolveRunner({ client, github }, { namespace: 'ci', runner }, neverAborted());
  return { asked, resolve };
};

describe('the registration of a builder (T-69)', () => {
  it('is none for a machine that is no builder, and nothing is asked', async () => {
    const { asked, resolve } = await stage();
    assert.equal(await resolve(undefined), undefined);
    assert.deepEqual(asked, []);
  });

  it('hands on what the machine says, and trims ids', async () => {
    const { asked, resolve } = await stage(WHOLE);
    const made = await resolve(RUNNER);
    assert.deepEqual(
      [made?.organisation, made?.labels, made?.version, made?.token.reveal()],
      ['tuist', 'a,b', '2.330.0', 'registration'],
    );
    assert.deepEqual([asked[0]?.appId, asked[0]?.installationId], ['7', '42']);
  });

  it('names all that is missing', async () => {
    const { resolve } = await stage({ 'app-id': encode('7') });
    await assert.rejects(resolve(RUNNER), { message: /lacks installation-id, private-key/ });
    const { ghAppSecretName: _, ...without } = RUNNER;
    await assert.rejects(resolve(without), { message: /names no Secret/ });
  });
});
