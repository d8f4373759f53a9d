/**
 * The API key, from where operators keep it: the environment, a mounted Secret that may rotate, or a profile of Scaleway's
 * own configuration file. It is read again when it is old or refused, and it never prints.
 */
import type { Clock } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { SIMULATED_KEY } from '../port/simulated-key.ts';
import { isUuid } from './parse-server.ts';
import { type ConfigPlaces, readProfile } from './scaleway-config.ts';

export interface CloudCredentials {
  readonly accessKey: string;
  readonly secretKey: Secret<string>;
  readonly defaultProjectId: string;
}

export interface CredentialSource {
  read(signal: AbortSignal): Promise<CloudCredentials>;
  /** These were refused: the next read looks again. */
  distrust(credentials: CloudCredentials): void;
}

export interface CredentialPlaces extends ConfigPlaces {
  /** A mounted Secret, one file per key, named as the variables are or as the Secret of the Go original has them. */
  readonly directory?: string;
}

const KEYS = { accessKey: 'SCW_ACCESS_KEY', secretKey: 'SCW_SECRET_KEY', projectId: 'SCW_DEFAULT_PROJECT_ID' } as const;
const SECRET_KEYS = { accessKey: 'access-key', secretKey: 'secret-key', projectId: 'project-id' } as const;
const CONFIG_KEYS = { accessKey: 'access_key', secretKey: 'secret_key', projectId: 'default_project_id' } as const;
const FRESH_MS = 60_000;

type Found = Partial<Record<keyof typeof KEYS, string>>;

export const createCredentialSource = (places: CredentialPlaces, clock: Clock): CredentialSource => {
  let known: { readonly credentials: CloudCredentials; readonly readAtMs: number } | undefined;
  let projectId: string | undefined;
  return {
    read: async () => {
      if (known !== undefined && clock.elapsed() - known.readAtMs < FRESH_MS) return known.credentials;
      const credentials = toCredentials(await look(places));
      projectId ??= credentials.defaultProjectId;
      if (credentials.defaultProjectId !== projectId) throw projectChanged(projectId, credentials.defaultProjectId);
      known = { credentials, readAtMs: clock.elapsed() };
      return credentials;
    },
    distrust: (credentials) => {
      if (known?.credentials === credentials) known = undefined;
    },
  };
};

/** A key may rotate under us; the project may not: every host on record would be missing in another (R1). */
const projectChanged = (from: string, to: string): FleetError =>
  new FleetError('denied', {
    code: 'CloudProjectChanged',
    message: `the credentials are for project ${to} now; this process works in ${from}`,
    hint: 'Put the old project id back, or restart this process to work in the other project.',
  });

/** A key that is none, for a cloud that is simulated. */
export const createSimulatedCredentials = (projectId: string): CredentialSource => {
  const credentials = {
    accessKey: SIMULATED_KEY.accessKey,
    secretKey: new Secret<string>(SIMULATED_KEY.secretKey),
    defaultProjectId: projectId,
  };
  return { read: async () => credentials, distrust: () => undefined };
};

/** A mounted Secret goes before the environment, and both before the file: key by key. */
const look = async (places: CredentialPlaces): Promise<Found> => ({
  ...(await fromConfig(places)),
  ...fromEnvironment(places.env),
  ...(await fromDirectory(places)),
});

const fromEnvironment = (env: CredentialPlaces['env']): Found => pickTexts(KEYS, (name) => env[name]);

const fromDirectory = async ({ directory, readText }: CredentialPlaces): Promise<Found> => {
  if (directory === undefined) return {};
  const texts = new Map<string, string | undefined>();
  for (const name of [...Object.values(KEYS), ...Object.values(SECRET_KEYS)]) {
    texts.set(name, await readText(`${directory}/${name}`));
  }
  const textOf = (name: string): string | undefined => texts.get(name)?.trim();
  return { ...pickTexts(SECRET_KEYS, textOf), ...pickTexts(KEYS, textOf) };
};

const fromConfig = async (places: CredentialPlaces): Promise<Found> => {
  const profile = await readProfile(places);
  return pickTexts(CONFIG_KEYS, (name) => profile[name]);
};

const pickTexts = (names: Readonly<Record<keyof typeof KEYS, string>>, read: (name: string) => unknown): Found => {
  const found: Found = {};
  for (const key of ['accessKey', 'secretKey', 'projectId'] as const) {
    const value = read(names[key]);
    if (typeof value === 'string' && value !== '') found[key] = value;
  }
  return found;
};

const ACCESS_KEY = /^SCW[A-Z0-9]{17}$/i;

/** Their form is checked here, since the SDK would print a secret that it finds malformed. */
const toCredentials = ({ accessKey = '', secretKey = '', projectId = '' }: Found): CloudCredentials => {
  const wrong = [
    describeFault(KEYS.accessKey, accessKey, ACCESS_KEY.test(accessKey)),
    describeFault(KEYS.secretKey, secretKey, isUuid(secretKey)),
    describeFault(KEYS.projectId, projectId, isUuid(projectId)),
  ].filter((fault) => fault !== '');
  if (wrong.length === 0) return { accessKey, secretKey: new Secret(secretKey), defaultProjectId: projectId };
  throw new FleetError('denied', {
    code: 'NoCloudCredentials',
    message: `no usable credentials for Scaleway: ${wrong.join(', ')}`,
    hint: 'Set them in the environment, mount them as files, or log in with the command line of Scaleway (scw init).',
  });
};

const describeFault = (name: string, value: string, isWellFormed: boolean): string => {
  if (isWellFormed) return '';
  return value === '' ? `${name} is missing` : `${name} is malformed`;
};
