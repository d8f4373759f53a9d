/** Where the API is and which zones are meant, by the same variables and the same file that Scaleway's own tools read. */
import { FleetError } from '../../base/errors.ts';
import { isZone, ZONES } from '../port/zones.ts';
import { type ConfigPlaces, readProfile } from './scaleway-config.ts';

export interface CloudSettings {
  readonly apiUrl: string;
  readonly zones: readonly string[];
}

export interface SettingsPlaces extends ConfigPlaces {
  /** Goes before what the environment and the file say. */
  readonly zones?: readonly string[];
}

const SCALEWAY_URL = 'https://api.scaleway.com';

export const readCloudSettings = async (places: SettingsPlaces): Promise<CloudSettings> => {
  const profile = await readProfile(places);
  const apiUrl = firstText(places.env['SCW_API_URL'], profile['api_url'], SCALEWAY_URL);
  const zone = firstText(places.env['SCW_DEFAULT_ZONE'], profile['default_zone'], ZONES[0]);
  return { apiUrl: parseApiUrl(apiUrl), zones: parseZones(places.zones ?? [zone]) };
};

const firstText = (...values: readonly unknown[]): string =>
  values.find((value): value is string => typeof value === 'string' && value !== '') ?? '';

const parseApiUrl = (text: string): string => {
  const url = URL.parse(text);
  const isPlain = url?.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return text.replace(/\/+$/, '');
  throw new FleetError('invalid', {
    code: 'BadApiUrl',
    message: `"${text}" is no URL of Scaleway's API`,
    hint: `Correct SCW_API_URL or api_url, or leave it out for ${SCALEWAY_URL}.`,
  });
};

const parseZones = (zones: readonly string[]): readonly string[] => {
  const [wrong] = zones.filter((zone) => !isZone(zone));
  if (wrong === undefined && zones.length > 0) return [...new Set(zones)];
  throw new FleetError('invalid', {
    code: 'BadZone',
    message: `"${wrong ?? ''}" is no zone`,
    hint: `Macs are in ${ZONES.join(' and ')}.`,
  });
};
