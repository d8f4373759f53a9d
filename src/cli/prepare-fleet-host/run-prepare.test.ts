/** `prepare-fleet-host` on simulated Macs; over real SSH it is in test/prepare-fleet-host.test.ts. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { FleetError } from '../../base/errors.ts';
import { createSeededRandom } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { createSimCloud } from '../../sim/cloud/sim-cloud.ts';
import { createSimMacs } from '../../sim/mac/sim-macs.ts';
import { parseHosts } from './parse-host.ts';
import { prepareAll } from './run-prepare.ts';

const privateKey = new Secret('canary-private-key');

const stage = (count: number, isTerminal = false) => {
  const clock = createManualClock();
  const cloud = createSimCloud({ clock, random: createSeededRandom(3) });
  const servers = Array.from({ length: count }, (_, at) => cloud.addServer({ name: `pool-${at}` }));
  const startAgent = (): (() => void) => () => undefined;
  const random = createSeededRandom(4);
  const macs = createSimMacs({ cloud, clock, fleetKey: privateKey, random, timeScale: 0, startAgent });
  const written = { stdout: '', stderr: '' };
  const io = {
    stdout: (text: string) => {
      written.stdout += text;
    },
    stderr: (text: string) => {
      written.stderr += text;
    },
    ...{ env: {}, isTerminal, signal: new AbortController().signal },
  };
  const names = servers.map(({ address }) => address);
  const run = async (passwords = servers.map(({ password }) => password)): Promise<string> => {
    const flags = { hosts: names, identity: 'fleet-key', user: 'm1', force: false };
    const given = new Map(names.map((name, at) => [name, passwords[at] ?? new Secret('')]));
    try {
      await prepareAll({ flags, io, hosts: parseHosts(names), privateKey, passwords: given, clock, ssh: macs.hosts });
      return 'prepared';
    } catch (error) {
      return error instanceof FleetError ? `${error.code}: ${error.message}` : String(error);
    }
  };
  const macOf = (at: number) => macs.mac(servers[at]?.id ?? '');
  return { names, servers, written, run, macOf };
};

test('001-3: many Macs are prepared at once, and each change is a line', async () => {
  const { names, written, run } = stage(3);
  assert.equal(await run(), 'prepared');
  for (const name of names) {
    const lines = written.stdout.split('\n').filter((line) => line.startsWith(`${name}  `));
    assert.match(written.stdout, new RegExp(`^Host keys that were shown:\n(.*\n)*  ${name}  SHA256:`, 'm'));
    assert.equal(lines[0], `${name}  connecting`);
    assert.equal(lines.at(-1), `${name}  prepared: sudo done, auto-login done`);
    assert.equal(new Set(lines).size, lines.length, 'a line twice');
  }
  assert.match(written.stdout, /All 3 Macs are prepared\.\n$/);
  assert.equal(written.stderr, '');
});

test('on a terminal a table is drawn in place', async () => {
  const { names, written, run } = stage(2, true);
  await run();
  assert.match(written.stdout, /^HOST +STATE +STEPS\n/);
  const [last = ''] = written.stdout.split('\u001b[3A\u001b[J').slice(-1);
  assert.equal(
    last
      .trimEnd()
      .replaceAll(/SHA256:\S+/g, 'KEY')
      .replaceAll(/^ +/gm, '')
      .replaceAll(/ {2,}/g, '  '),
    [
      'HOST  STATE  STEPS',
      ...names.map((name) => `${name}  prepared  sudo done, auto-login done`),
      'Host keys that were shown:',
      ...names.map((name) => `${name}  KEY`),
      'All 2 Macs are prepared.',
    ].join('\n'),
  );
});

test('one Mac that fails keeps none of the others from being prepared, and is told with what to do', async () => {
  const { names, written, run, macOf } = stage(3);
  macOf(1).forgetKey();
  assert.equal(await run(), `HostsNotPrepared: 1 of 3 Macs were not prepared: ${names[1]}`);
  assert.match(written.stdout, new RegExp(`${names[0]}  prepared`));
  assert.match(written.stdout, new RegExp(`${names[2]}  prepared`));
  assert.match(written.stderr, /ssh-keygen -y -f fleet-key.*scw_authorized_keys.*reinstall/);
});

test('no password and no key is written anywhere, whatever goes wrong', async () => {
  const { written, run, macOf } = stage(2);
  macOf(0).addStepFault({ step: 'auto-login', kind: 'exit', times: 1, output: 'failed with canary-password' });
  await run([new Secret('canary-password'), new Secret('canary-password')]);
  assert.match(written.stderr, /code: SudoPasswordRefused/);
  assert.ok(!(written.stdout + written.stderr).includes('canary'));
});
