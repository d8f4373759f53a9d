/**
 * The API key, from where operators keep it: the environment, a mounted Secret that may rotate, or a profile of Scaleway's
 * own configuration file. It is read again when it is old or refused, and it never prints.
 */
import { parse } from 'yaml';
import type { Clock } from '../../base/clock.ts';
import { FleetError, messageOf } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import { Secret } from '../../base/secret.ts';
import { SIMULATED_KEY } from '../port/simulated-key.ts';
import { isUuid } from './parse-server.ts';

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

export interface CredentialPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A mounted Secret, one file per key, named as the variables are. */
  readonly directory?: string;
  /** Scaleway's configuration file. */
  readonly configPath?: string;
  /** The text of a file, or undefined when there is none. */
  readonly readText: (path: string) => Promise<string | undefined>;
}

const KEYS = { accessKey: 'SCW_ACCESS_KEY', secretKey: 'SCW_SECRET_KEY', projectId: 'SCW_DEFAULT_PROJECT_ID' } as const;
const CONFIG_KEYS = { accessKey: 'access_key', secretKey: 'secret_key', projectId: 'default_project_id' } as const;
const FRESH_MS = 60_000;

type Found = Partial<Record<keyof typeof KEYS, string>>;

export const createCredentialSource = (places: CredentialPlaces, clock: Clock): CredentialSource => {
  let known: { readonly credentials: CloudCredentials; readonly readAtMs: number } | undefined;
  return {
    read: async () => {
      if (known !== undefined && clock.elapsed() - known.readAtMs < FRESH_MS) return known.credentials;
      const credentials = toCredentials(await look(places));
      known = { credentials, readAtMs: clock.elapsed() };
      return credentials;
    },
    distrust: (credentials) => {
      if (known?.credentials === credentials) known = undefined;
    },
  };
};

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
  for (const name of Object.values(KEYS)) texts.set(name, await readText(`${directory}/${name}`));
  return pickTexts(KEYS, (name) => texts.get(name)?.trim());
};

const fromConfig = async ({ configPath, env, readText }: CredentialPlaces): Promise<Found> => {
  const text = configPath === undefined ? undefined : await readText(configPath);
  if (configPath === undefined || text === undefined) return {};
  const config = parseConfig(text, configPath);
  const active = env['SCW_PROFILE'] ?? config['active_profile'];
  const profile = typeof active === 'string' ? selectProfile(config, active, configPath) : {};
  return { ...pickTexts(CONFIG_KEYS, (name) => config[name]), ...pickTexts(CONFIG_KEYS, (name) => profile[name]) };
};

const parseConfig = (text: string, path: string): Readonly<Record<string, unknown>> => {
  try {
    const config: unknown = parse(text);
    return isRecord(config) ? config : {};
  } catch (error) {
    throw new FleetError('invalid', {
      code: 'BadScalewayConfig',
      message: `${path} is no YAML: ${messageOf(error).split('\n')[0] ?? ''}`,
      hint: 'Correct it, or name another file by SCW_CONFIG_PATH.',
    });
  }
};

const selectProfile = (config: Readonly<Record<string, unknown>>, name: string, path: string) => {
  const profiles = isRecord(config['profiles']) ? config['profiles'] : {};
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (isRecord(profile)) return profile;
  throw new FleetError('invalid', {
    code: 'NoSuchProfile',
    message: `${path} has no profile "${name}"`,
    hint: `Its profiles are: ${Object.keys(profiles).join(', ') || 'none'}.`,
  });
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
