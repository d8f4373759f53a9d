/** Scaleway's own configuration, as its tools read it: one YAML file with profiles, and variables that go before it. */
import { parse } from 'yaml';
import { FleetError, messageOf } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';

export interface ConfigPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Scaleway's configuration file. */
  readonly configPath?: string;
  /** The text of a file, or undefined when there is none. */
  readonly readText: (path: string) => Promise<string | undefined>;
}

type Config = Readonly<Record<string, unknown>>;

/** Where Scaleway's tools look for their file; undefined when nothing says where home is. */
export const findConfigPath = (env: ConfigPlaces['env']): string | undefined => {
  const { SCW_CONFIG_PATH: named, XDG_CONFIG_HOME: xdg, HOME: home } = env;
  if (named !== undefined && named !== '') return named;
  if (xdg !== undefined && xdg !== '') return `${xdg}/scw/config.yaml`;
  return home === undefined || home === '' ? undefined : `${home}/.config/scw/config.yaml`;
};

/** The settings of the active profile, over those that stand outside of profiles. Empty when there is no file. */
export const readProfile = async ({ configPath, env, readText }: ConfigPlaces): Promise<Config> => {
  const named = env['SCW_PROFILE'] ?? '';
  const path = configPath ?? 'no configuration file';
  const text = configPath === undefined ? undefined : await readText(configPath);
  if (text === undefined) return named === '' ? {} : selectProfile({}, named, path);
  const config = parseConfig(text, path);
  const active = named === '' ? config['active_profile'] : named;
  return { ...config, ...(typeof active === 'string' ? selectProfile(config, active, path) : {}) };
};

const parseConfig = (text: string, path: string): Config => {
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

const selectProfile = (config: Config, name: string, path: string): Config => {
  const profiles = isRecord(config['profiles']) ? config['profiles'] : {};
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (isRecord(profile)) return profile;
  throw new FleetError('invalid', {
    code: 'NoSuchProfile',
    message: `${path} has no profile "${name}"`,
    hint: `Its profiles are: ${Object.keys(profiles).join(', ') || 'none'}.`,
  });
};
