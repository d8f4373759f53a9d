import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { neverAborted } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { type CredentialPlaces, createCredentialSource } from './credentials.ts';

const ACCESS = 'SCWABCDEFGHIJKLMNOPQ';
const SECRET = '11111111-2222-3333-4444-555555555555';
const OTHER_SECRET = '99999999-2222-3333-4444-555555555555';
const PROJECT = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee';
const ENV = { SCW_ACCESS_KEY: ACCESS, SCW_SECRET_KEY: SECRET, SCW_DEFAULT_PROJECT_ID: PROJECT };

const CONFIG = `access_key: ${ACCESS}
secret_key: ${SECRET}
default_project_id: ${PROJECT}
profiles:
  ci:
    secret_key: ${OTHER_SECRET}
`;

const start = (places: Partial<CredentialPlaces>, files: Record<string, string> = {}) => {
  const clock = createManualClock();
  const source = createCredentialSource({ env: {}, readText: async (path) => files[path], ...places }, clock);
  return { clock, read: () => source.read(neverAborted()), source };
};

describe('credentials come from', () => {
  const rows: readonly {
    story: string;
    places: Partial<CredentialPlaces>;
    files?: Record<string, string>;
    secret: string;
  }[] = [
    { story: 'the environment', places: { env: ENV }, secret: SECRET },
    { story: 'the file', places: { configPath: 'c' }, files: { c: CONFIG }, secret: SECRET },
    {
      story: 'the profile that is active',
      places: { configPath: 'c' },
      files: { c: `${CONFIG}active_profile: ci\n` },
      secret: OTHER_SECRET,
    },
    {
      story: 'the profile that the environment names',
      places: { configPath: 'c', env: { SCW_PROFILE: 'ci' } },
      files: { c: CONFIG },
      secret: OTHER_SECRET,
    },
    {
      story: 'the environment before the file',
      places: { configPath: 'c', env: { SCW_SECRET_KEY: OTHER_SECRET } },
      files: { c: CONFIG },
      secret: OTHER_SECRET,
    },
    {
      story: 'a mounted Secret before the environment',
      places: { env: ENV, directory: 'd' },
      files: { 'd/SCW_SECRET_KEY': `${OTHER_SECRET}\n` },
      secret: OTHER_SECRET,
    },
    {
      story: 'a mounted Secret of the Go original',
      places: { directory: 'd' },
      files: { 'd/access-key': ACCESS, 'd/secret-key': `${SECRET}\n`, 'd/project-id': PROJECT },
      secret: SECRET,
    },
    {
      story: 'the environment when an empty variable names no profile',
      places: { configPath: 'c', env: { ...ENV, SCW_PROFILE: '' } },
      secret: SECRET,
    },
  ];
  for (const { story, places, files, secret } of rows) {
    test(story, async () => {
      const { secretKey, accessKey, defaultProjectId } = await start(places, files).read();
      assert.deepEqual([secretKey.reveal(), accessKey, defaultProjectId], [secret, ACCESS, PROJECT]);
    });
  }
});

describe('credentials are refused', () => {
  const rows: readonly {
    story: string;
    places: Partial<CredentialPlaces>;
    files?: Record<string, string>;
    says: RegExp;
  }[] = [
    {
      story: 'when there are none',
      places: {},
      says: /SCW_ACCESS_KEY is missing, SCW_SECRET_KEY is missing, SCW_DEFAULT_PROJECT_ID is missing/,
    },
    {
      story: 'when a part is malformed, which is not repeated',
      places: { env: { ...ENV, SCW_SECRET_KEY: 'hunter2' } },
      says: /SCW_SECRET_KEY is malformed$/,
    },
    {
      story: 'when the access key is missing, since the SDK would send nothing then',
      places: { env: { ...ENV, SCW_ACCESS_KEY: '' } },
      says: /SCW_ACCESS_KEY is missing$/,
    },
    { story: 'when the file is no YAML', places: { configPath: 'c' }, files: { c: 'a: [' }, says: /^c is no YAML/ },
    { story: 'when the file holds a list', places: { configPath: 'c' }, files: { c: '- a' }, says: /is missing/ },
    {
      story: 'when the profile is not there',
      places: { configPath: 'c', env: { SCW_PROFILE: 'constructor' } },
      files: { c: CONFIG },
      says: /no profile "constructor"/,
    },
    {
      story: 'when a profile is named and there is no file',
      places: { configPath: 'c', env: { ...ENV, SCW_PROFILE: 'ci' } },
      says: /^c has no profile "ci"$/,
    },
    {
      story: 'when an id is in capitals, which Scaleway never writes',
      places: { env: { ...ENV, SCW_DEFAULT_PROJECT_ID: PROJECT.toUpperCase() } },
      says: /SCW_DEFAULT_PROJECT_ID is malformed$/,
    },
  ];
  for (const { story, places, files, says } of rows) {
    test(story, async () => {
      const error = await start(places, files)
        .read()
        .catch((thrown: unknown) => thrown);
      assert.ok(error instanceof FleetError);
      assert.match(error.message, says);
      assert.doesNotMatch(inspect(error), /hunter2/);
    });
  }
});

test('a rotated Secret is seen after a minute, or at once when the old one was refused', async () => {
  const files = { 'd/SCW_SECRET_KEY': SECRET };
  const { clock, read, source } = start({ env: ENV, directory: 'd' }, files);
  const first = await read();
  files['d/SCW_SECRET_KEY'] = OTHER_SECRET;
  assert.equal((await read()).secretKey.reveal(), SECRET);
  source.distrust(first);
  assert.equal((await read()).secretKey.reveal(), OTHER_SECRET);
  files['d/SCW_SECRET_KEY'] = SECRET;
  clock.advance(60_000);
  assert.equal((await read()).secretKey.reveal(), SECRET);
});

test('distrust of credentials that were replaced already changes nothing', async () => {
  const { clock, read, source } = start({ env: ENV });
  const first = await read();
  clock.advance(60_000);
  const second = await read();
  source.distrust(first);
  assert.equal(await read(), second);
});

test('no secret prints', async () => {
  assert.doesNotMatch(inspect(await start({ env: ENV }).read(), { depth: 9 }), /11111111/);
});

test('a Secret that rotates to another project is refused until the old project is back', async () => {
  const files = { 'd/SCW_DEFAULT_PROJECT_ID': PROJECT };
  const { clock, read } = start({ env: ENV, directory: 'd' }, files);
  await read();
  files['d/SCW_DEFAULT_PROJECT_ID'] = OTHER_SECRET;
  clock.advance(60_000);
  await assert.rejects(read(), { kind: 'denied', code: 'CloudProjectChanged' });
  files['d/SCW_DEFAULT_PROJECT_ID'] = PROJECT;
  assert.equal((await read()).defaultProjectId, PROJECT);
});
