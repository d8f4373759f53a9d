import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FleetError } from '../../base/errors.ts';
import { readCloudSettings, type SettingsPlaces } from './cloud-settings.ts';
import { findConfigPath } from './scaleway-config.ts';

const read = (places: Partial<SettingsPlaces>, file?: string) =>
  readCloudSettings({ env: {}, configPath: 'c', readText: async () => file, ...places });

const FILE = `api_url: https://file.example
default_zone: fr-par-3
profiles:
  sim:
    api_url: http://127.0.0.1:8080
`;

describe('where the API is', () => {
  const rows: readonly { story: string; env?: Record<string, string>; file?: string; is: string }[] = [
    { story: "is Scaleway's own unless somebody says otherwise", is: 'https://api.scaleway.com' },
    { story: 'is what the environment says', env: { SCW_API_URL: 'http://127.0.0.1:1' }, is: 'http://127.0.0.1:1' },
    { story: 'is what the file says', file: FILE, is: 'https://file.example' },
    { story: 'is what the profile says', env: { SCW_PROFILE: 'sim' }, file: FILE, is: 'http://127.0.0.1:8080' },
    {
      story: 'is what the environment says before what the file says',
      ...{ env: { SCW_API_URL: 'https://env.example/' }, file: FILE, is: 'https://env.example' },
    },
    { story: 'is not what an empty variable says', env: { SCW_API_URL: '' }, is: 'https://api.scaleway.com' },
  ];
  for (const { story, env = {}, file, is } of rows) {
    test(story, async () => assert.equal((await read({ env }, file)).apiUrl, is));
  }
});

describe('the zones', () => {
  test('are the first one with Macs unless somebody says otherwise', async () =>
    assert.deepEqual((await read({})).zones, ['fr-par-1']));
  test('are the one of the file', async () => assert.deepEqual((await read({}, FILE)).zones, ['fr-par-3']));
  test('are the one of the environment before that of the file', async () =>
    assert.deepEqual((await read({ env: { SCW_DEFAULT_ZONE: 'fr-par-2' } }, FILE)).zones, ['fr-par-2']));
  test('are those that were asked for before all others, each once', async () => {
    const zones = ['fr-par-3', 'fr-par-1', 'fr-par-3'];
    assert.deepEqual((await read({ zones, env: { SCW_DEFAULT_ZONE: 'x' } })).zones, ['fr-par-3', 'fr-par-1']);
  });
});

describe('settings are refused', () => {
  const rows: readonly { story: string; places: Partial<SettingsPlaces>; is: string }[] = [
    { story: 'when the URL is none', places: { env: { SCW_API_URL: 'localhost:8080' } }, is: 'BadApiUrl' },
    { story: 'when the URL is no HTTP', places: { env: { SCW_API_URL: 'ftp://a.example' } }, is: 'BadApiUrl' },
    {
      story: 'when the URL holds a password',
      places: { env: { SCW_API_URL: 'https://a:b@c.example' } },
      is: 'BadApiUrl',
    },
    { story: 'when the URL holds a query', places: { env: { SCW_API_URL: 'https://c.example?a=b' } }, is: 'BadApiUrl' },
    { story: 'when a zone is none', places: { zones: ['fr-par-1', 'paris'] }, is: 'BadZone' },
    { story: 'when there is no zone', places: { zones: [] }, is: 'BadZone' },
    { story: 'when the profile is in no file', places: { env: { SCW_PROFILE: 'sim' } }, is: 'NoSuchProfile' },
  ];
  for (const { story, places, is } of rows) {
    test(story, () =>
      assert.rejects(
        read(places),
        (error) => error instanceof FleetError && error.code === is && error.kind === 'invalid',
      ),
    );
  }
});

describe("Scaleway's file is looked for", () => {
  const rows: readonly { env: Record<string, string>; is: string | undefined }[] = [
    { env: { HOME: '/h' }, is: '/h/.config/scw/config.yaml' },
    { env: { HOME: '/h', XDG_CONFIG_HOME: '/x' }, is: '/x/scw/config.yaml' },
    { env: { HOME: '/h', XDG_CONFIG_HOME: '/x', SCW_CONFIG_PATH: '/c' }, is: '/c' },
    { env: { HOME: '/h', XDG_CONFIG_HOME: '', SCW_CONFIG_PATH: '' }, is: '/h/.config/scw/config.yaml' },
    { env: {}, is: undefined },
  ];
  for (const { env, is } of rows) {
    test(`${is ?? 'nowhere'} with ${Object.keys(env).join(', ') || 'nothing'} set`, () =>
      assert.equal(findConfigPath(env), is));
  }
});
