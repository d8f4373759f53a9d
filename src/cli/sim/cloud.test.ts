/** `macfleet sim cloud` as a person and a script meet it. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { request } from 'undici';
import { runRecorded } from '../testing/run-recorded.ts';
import { SCENARIOS } from './scenarios.ts';
import { runSim } from './testing/started-sim.ts';

interface Running {
  /** What the welcome says behind this word. */
  told(word: string): string;
  readonly text: () => string;
  ask(method: string, path: string, body?: string): Promise<{ readonly status: number; readonly text: string }>;
  control(method: string, path: string, body?: string): Promise<string>;
}

const withFolder = async (body: (file: string, folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'macfleet-sim-'));
  try {
    await body(join(folder, 'cloud.yaml'), folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const running = (args: readonly string[], body: (cloud: Running) => Promise<void>): Promise<string> =>
  runSim(['cloud', ...args], ({ told, out }) =>
    body({
      ...{ told, text: out },
      ask: async (method, path, text) => {
        const answer = await request(`${told('SCW_API_URL')}/apple-silicon/v1alpha1/zones/fr-par-1${path}`, {
          ...{ method, headers: { 'x-auth-token': told('SCW_SECRET_KEY'), 'user-agent': 'tester' } },
          ...(text === undefined ? {} : { body: text }),
        });
        return { status: answer.statusCode, text: await answer.body.text() };
      },
      control: async (method, path, text) => {
        const answer = await request(`${told('Control')}${path}`, {
          method,
          ...(text === undefined ? {} : { body: text }),
        });
        return answer.body.text();
      },
    }),
  );

const refusal = (...args: readonly string[]) => runRecorded(['sim', 'cloud', ...args]);

const firstId = (list: string): string => /"id":"([0-9a-f-]{36})","ip"/.exec(list)?.[1] ?? '';

describe('macfleet sim cloud', { timeout: 60_000 }, () => {
  test('serves the servers asked for, tells each write as it comes, and stops without a trace of an error', async () => {
    const said = await running(['--servers', '12', '--speed', '60x'], async ({ ask }) => {
      const listed = await ask('GET', '/servers?page_size=100');
      assert.match(listed.text, /^\{"total_count":12,/);
      const id = firstId(listed.text);
      assert.equal((await ask('PATCH', `/servers/${id}`, '{"name": "mine"}')).status, 200);
    });
    assert.match(said, /with 12 servers, 60 times as fast as life/);
    assert.match(said, /\d\d:\d\d:\d\d rename \S+ \("tuist-pool-1", ready\) → "mine" accepted by tester\n/);
    assert.match(said, /Stopping\.\n$/);
  });

  test('lets nobody in without the key that it prints', async () => {
    await running([], async ({ told }) => {
      const { statusCode, body } = await request(
        `${told('SCW_API_URL')}/apple-silicon/v1alpha1/zones/fr-par-1/servers`,
      );
      await body.dump();
      assert.equal(statusCode, 401);
    });
  });

  test('goes on with its state: names, passwords, deleted servers and keys', () =>
    withFolder(async (file, folder) => {
      let [kept, gone] = ['', ''];
      await running(['--servers', '2', '--state', file], async ({ ask, control }) => {
        const { text } = await ask('GET', '/servers');
        const ids = [...text.matchAll(/"id":"([0-9a-f-]{36})","ip"/g)].map((match) => match[1] ?? '');
        [kept = '', gone = ''] = ids;
        await ask('PATCH', `/servers/${kept}`, '{"name": "kept"}');
        await control('DELETE', `/servers/${gone}`);
        assert.match(await control('POST', '/save'), /"saved":true/);
        assert.match(readFileSync(file, 'utf8'), /name: kept/);
        await ask('PATCH', `/servers/${kept}`, '{"name": "kept at the end"}');
      });
      assert.deepEqual(readdirSync(folder), ['cloud.yaml']);
      const said = await running(['--servers', '9', '--state', file], async ({ ask }) => {
        assert.match((await ask('GET', `/servers/${kept}`)).text, /"name":"kept at the end"/);
        assert.equal((await ask('GET', `/servers/${gone}`)).status, 403);
      });
      assert.match(said, /with 1 server, as .*cloud\.yaml has it/);
    }));

  const bad: readonly { readonly story: string; readonly text: string; readonly why: RegExp }[] = [
    { story: 'no YAML', text: 'a: [', why: /is no state of a simulated cloud/ },
    { story: 'empty', text: '', why: /is no state/ },
    { story: 'of another version', text: 'version: 2\nservers: []\n', why: /version/ },
    { story: 'without servers', text: 'version: 1\n', why: /servers/ },
    { story: 'with a server that lacks everything', text: 'version: 1\nservers: [{}]\n', why: /servers\.0\.id.*more/ },
    { story: 'with an unknown field', text: 'version: 1\nservers: []\nsurprise: 1\n', why: /surprise/ },
  ];
  for (const { story, text, why } of bad) {
    test(`refuses a state that is ${story}, and leaves the file as it is`, () =>
      withFolder(async (file) => {
        writeFileSync(file, text);
        const { exitCode, stderr } = await refusal('--state', file);
        assert.equal(exitCode, 2);
        assert.match(stderr, why);
        assert.match(stderr, /code: StateUnreadable/);
        assert.equal(readFileSync(file, 'utf8'), text);
      }));
  }

  test('says when the state cannot be written', async () => {
    const { exitCode, stderr } = await refusal('--state', tmpdir());
    assert.deepEqual([exitCode, /code: StateFileUnusable/.test(stderr)], [2, true]);
  });

  test('says that the state cannot be kept before it serves anybody', () =>
    withFolder(async (file) => {
      const { exitCode, stdout, stderr } = await refusal('--state', `${file}/in/no/folder.yaml`);
      assert.deepEqual([exitCode, /cannot be written/.test(stderr), stdout], [2, true, '']);
    }));

  test('keeps as many calls that are no writes as it is told to', async () => {
    await running(['--calls-kept', '2'], async ({ ask, control }) => {
      for (let look = 0; look < 3; look += 1) await ask('GET', '/servers');
      const { audit, dropped } = JSON.parse(await control('GET', '/audit'));
      assert.deepEqual([audit.length, dropped, audit[0].principal], [2, 1, 'SCWSIMULATED00000000']);
    });
  });

  const usage: readonly { readonly args: readonly string[]; readonly code: string }[] = [
    { args: ['--speed', 'fast'], code: 'BadSpeed' },
    { args: ['--speed', '0x'], code: 'BadSpeed' },
    { args: ['--speed', '-1'], code: 'BadSpeed' },
    { args: ['--servers', '1.5'], code: 'BadNumber' },
    { args: ['--calls-kept', 'all'], code: 'BadNumber' },
    { args: ['--port', '99999'], code: 'BadNumber' },
    { args: ['--scenario', 'rain'], code: 'NoSuchScenario' },
    { args: ['--nothing'], code: 'BadUsage' },
  ];
  for (const { args, code } of usage) {
    test(`refuses ${args.join(' ')} as ${code}`, async () => {
      const { exitCode, stderr } = await refusal(...args);
      assert.deepEqual([exitCode, stderr.includes(`code: ${code}\n`)], [2, true], stderr);
    });
  }

  const scenes: Readonly<Record<string, (cloud: Running) => Promise<void>>> = {
    'all-sealed': async ({ ask }) => {
      const id = firstId((await ask('GET', '/servers')).text);
      assert.match((await ask('GET', `/servers/${id}`)).text, /"sudo_password":"<sealed>"/);
    },
    'no-stock': async ({ ask }) => {
      const order = await ask('POST', '/servers', '{"name": "a", "type": "M4-S"}');
      assert.match(order.text, /"type":"out_of_stock"/);
    },
    'retired-image': async ({ ask }) => assert.doesNotMatch((await ask('GET', '/os')).text, /macos-tahoe-26\.3/),
    'flapping-404': async ({ ask }) => {
      const id = firstId((await ask('GET', '/servers')).text);
      const seen = new Set<number>();
      for (let look = 0; look < 500 && seen.size < 2; look += 1) seen.add((await ask('GET', `/servers/${id}`)).status);
      assert.deepEqual([...seen].toSorted(), [200, 404]);
    },
    away: async ({ ask }) => assert.equal((await ask('GET', '/servers')).status, 503),
    'slow-lists': async ({ control }) => assert.match(await control('GET', '/faults'), /"verb":"list","id":"slow"/),
  };
  for (const { name } of SCENARIOS) {
    test(`the scenario ${name} is what it says`, async () => {
      const scene = scenes[name];
      assert.ok(scene, `no test of ${name}`);
      await running(['--scenario', name], scene);
    });
  }
});
