/** A Scaleway project as an operator configured it, ready for use: settings, credentials, sockets and the adapter. */
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { Cloud } from '../port/cloud.ts';
import { type CloudSettings, readCloudSettings } from './cloud-settings.ts';
import { connectCloud } from './connect.ts';
import { createCredentialSource } from './credentials.ts';
import { createHttpCloudTransport } from './http-transport.ts';
import type { CloudObserver } from './observed-cloud.ts';
import { type ConfigPlaces, findConfigPath } from './scaleway-config.ts';

export interface OpenScalewayOptions extends Pick<ConfigPlaces, 'env' | 'readText'> {
  readonly clock: Clock;
  readonly random: Random;
  /** Where a Secret with the API key is mounted. */
  readonly credentialsDirectory?: string;
  readonly zones?: readonly string[];
  readonly observer?: CloudObserver;
}

export interface OpenedScaleway extends CloudSettings {
  readonly cloud: Cloud;
  readonly projectId: string;
  close(): Promise<void>;
}

/** Asks nothing of Scaleway yet, but rejects when there is no usable API key. */
export const openScaleway = async (options: OpenScalewayOptions, signal: AbortSignal): Promise<OpenedScaleway> => {
  const { clock, random, env, readText, credentialsDirectory, zones, observer } = options;
  const configPath = findConfigPath(env);
  const places = { env, readText, ...(configPath === undefined ? {} : { configPath }) };
  const settings = await readCloudSettings({ ...places, ...(zones === undefined ? {} : { zones }) });
  const directory = credentialsDirectory === undefined ? {} : { directory: credentialsDirectory };
  const credentials = createCredentialSource({ ...places, ...directory }, clock);
  const { defaultProjectId: projectId } = await credentials.read(signal);
  const transport = createHttpCloudTransport(settings.apiUrl);
  const cloud = connectCloud({
    ...{ transport: transport.send, credentials, clock, random, apiUrl: settings.apiUrl },
    ...(observer === undefined ? {} : { observer }),
  });
  return { ...settings, cloud, projectId, close: transport.close };
};
