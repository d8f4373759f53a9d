/**
 * F35 on real bash: a bootstrap over SSH whose connection breaks in the middle of its output, at a sample of its lines, and
 * is then run again. Every line of the output is tried with the driver alone (driver.test.ts), every phase and upload on
 * step-level Macs (src/hosts/cut-connection.test.ts).
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import { inspect } from 'node:util';
import { toFleetError } from '../../src/base/errors.ts';
import { Secret } from '../../src/base/secret.ts';
import { createHostPreparer } from '../../src/hosts/host-preparer.ts';
import type { BatchAnswer, Hosts, Preparation } from '../../src/hosts/port.ts';
import { readStepFiles } from '../../src/hosts/program/step-files.ts';
import { DEFAULT_SSH_TIMES } from '../../src/hosts/ssh/ssh-connection.ts';
import { createSshHosts } from '../../src/hosts/ssh/ssh-hosts.ts';
import { openSshKeyFrom } from '../../src/pki/openssh-key.ts';
import { createMacArtefacts } from '../../src/sim/mac/bash/mac-artefacts.ts';
import { serveBashMac } from '../../src/sim/mac/bash/serve-bash-mac.ts';
import { PASSWORD, stageMac } from './mac/stage.ts';
import { clock, signal } from './sshd-stage.ts';

const KEY = openSshKeyFrom(Buffer.alloc(32, 9));
/** An agent that does nothing but stay. */
const AGENT = 'setInterval(() => undefined, 60_000);\n';
const TOKEN = 'canary-kubeconfig-token';
/** Steps that a survey looks at. */
const SURVEYED = 12;
/** Of the calls that answer in a cold bootstrap these many have, when the connection breaks. */
const CUTS = [5, 14, 18, 24];

/** A way to the Mac that breaks on request, with everything on it. */
const relayTo = async (t: TestContext, port: number) => {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  t.after(() => {
    cut();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return { port: address.port, cut };
};

/** Hosts that tell when a call has answered, and keep all answers. */
const watched = (hosts: Hosts, onAnswer: () => void, answers: BatchAnswer['steps'][number][]): Hosts => ({
  open: async (...args) => {
    const session = await hosts.open(...args);
    return {
      ...session,
      run: (batch, ...rest) =>
        session.run(
          {
            ...batch,
            onAnswer: (answer) => {
              answers.push(answer);
              batch.onAnswer?.(answer);
              onAnswer();
            },
          },
          ...rest,
        ),
    };
  },
});

for (const cutAfter of CUTS) {
  test(`F35: cut after ${cutAfter} answers and run again, a bootstrap converges and repeats nothing verified`, async (t) => {
    const { mac } = await stageMac(t, { authorizedKeys: [KEY.publicKey], timeScale: 20 });
    const door = await serveBashMac(mac);
    t.after(() => door.close());
    const relay = await relayTo(t, door.port);
    const files = readStepFiles();
    const artefacts = createMacArtefacts({ agent: AGENT });
    const target = { address: '127.0.0.1', port: relay.port, user: 'm1', privateKey: KEY.privateKey };
    const seen: unknown[] = [];
    const prepare = async (epoch: number, left: number) => {
      const answers: BatchAnswer['steps'][number][] = [];
      const onAnswer = (): void => {
        if (answers.length === left) relay.cut();
      };
      const hosts = watched(createSshHosts({ clock, ...DEFAULT_SSH_TIMES, files }), onAnswer, answers);
      const preparer = createHostPreparer({ hosts, clock, files, artefacts });
      const pinnedHostKey = await preparer.lookAtHostKey({ ...target, pinnedHostKey: undefined }, signal);
      const preparation: Preparation = {
        ...{ target: { ...target, pinnedHostKey }, epoch, claim: 'c', nodeName: 'runner-1', providerId: 'p' },
        ...{ fleet: 'runners', kubeconfig: new Secret(`token: ${TOKEN}\n`), onProgress: (steps) => seen.push(steps) },
        sudo: { password: new Secret(PASSWORD), tries: [], record: () => Promise.resolve() },
      };
      const code = await preparer.prepare(preparation, signal).then(
        () => 'prepared',
        (error: unknown) => {
          seen.push(error, inspect(error, { depth: 9 }));
          return toFleetError(error).code;
        },
      );
      seen.push(answers);
      return { code, answers };
    };
    const first = await prepare(1, cutAfter);
    assert.equal(first.code, 'HostConnectionLost');
    const verified = first.answers.filter(({ recorded }) => recorded !== undefined).map(({ step }) => step);
    const second = await prepare(2, Number.POSITIVE_INFINITY);
    assert.equal(second.code, 'prepared', inspect(seen.at(-2)));
    const applied = second.answers.filter(({ phases }) => phases.some(({ phase }) => phase === 'apply'));
    const repeated = applied.map(({ step }) => step).filter((step) => verified.includes(step));
    assert.deepEqual(repeated, []);
    const third = await prepare(3, Number.POSITIVE_INFINITY);
    assert.deepEqual(third.answers.slice(SURVEYED), [], inspect(third.answers.slice(0, SURVEYED), { depth: 4 }));
    const told = inspect(seen, { depth: 12, maxStringLength: null, maxArrayLength: null });
    assert.ok(!told.includes(TOKEN) && !told.includes(PASSWORD));
  });
}
