/** The registration token of a builder, from the GitHub App that the machine's Secret describes (spec.ghActionsRunner). */
import { FleetError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { GitHub, GitHubApp } from '../../github/port.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { type Secret as KubeSecret, SECRETS } from '../../kube/types/core.ts';
import type { RunnerRegistrations } from '../host/ports.ts';

export interface RunnerTokenDeps {
  readonly client: KubeClient;
  readonly github: GitHub;
}

export const createRunnerRegistrations = ({ client, github }: RunnerTokenDeps): RunnerRegistrations => ({
  registrationToken: async ({ namespace, runner }, signal) => {
    const name = runner.ghAppSecretName ?? '';
    if (name === '') throw unavailable('the machine names no Secret with the GitHub App (ghAppSecretName)');
    const app = appIn(await client.get(SECRETS, { namespace, name }, { signal }));
    return github.registrationToken(app, runner.ghOrg, signal);
  },
});

const appIn = ({ metadata, data }: KubeSecret): GitHubApp => {
  const read = (field: string): string => Buffer.from(data?.[field] ?? '', 'base64').toString();
  const app = {
    'app-id': read('app-id').trim(),
    'installation-id': read('installation-id').trim(),
    'private-key': read('private-key'),
  };
  const missing = Object.entries(app).flatMap(([field, text]) => (text.trim() === '' ? [field] : []));
  if (missing.length > 0) throw unavailable(`the Secret ${metadata.name} lacks ${missing.join(', ')}`);
  const { 'app-id': appId, 'installation-id': installationId, 'private-key': privateKey } = app;
  return { appId, installationId, privateKey: new Secret(privateKey) };
};

const unavailable = (message: string): FleetError =>
  new FleetError('invalid', {
    code: 'GHRunnerRegistrationTokenUnavailable',
    message,
    hint: 'A builder needs a Secret in its namespace with app-id, installation-id and private-key of a GitHub App.',
  });
