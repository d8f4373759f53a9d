/** The registration token of a builder, from the GitHub App that the machine's Secret describes (spec.ghActionsRunner). */
import { FleetError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { GitHub, GitHubApp } from '../../github/port.ts';
import type { MachineSpec } from '../../kinds/machine.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { type Secret as KubeSecret, SECRETS } from '../../kube/types/core.ts';

/** What the bootstrap of a builder needs beside everything else. */
export interface RunnerRegistration {
  readonly organisation: string;
  readonly labels: string;
  readonly version: string;
  readonly token: Secret<string>;
}

export interface RunnerTokenDeps {
  readonly client: KubeClient;
  readonly github: GitHub;
}

/** Undefined for a machine that is no builder: nothing is asked then. */
export const resolveRunner = async (
  { client, github }: RunnerTokenDeps,
  { namespace, runner }: { readonly namespace: string; readonly runner: MachineSpec['ghActionsRunner'] },
  signal: AbortSignal,
): Promise<RunnerRegistration | undefined> => {
  if (runner === undefined) return undefined;
  const name = runner.ghAppSecretName ?? '';
  if (name === '') throw unavailable('the machine names no Secret with the GitHub App (ghAppSecretName)');
  const app = appIn(await client.get(SECRETS, { namespace, name }, { signal }));
  const token = await github.registrationToken(app, runner.ghOrg, signal);
  return { organisation: runner.ghOrg, labels: runner.ghRunnerLabels, version: runner.ghRunnerVersion, token };
};

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
