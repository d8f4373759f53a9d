import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../../base/errors.ts';
import { encodeKcpassword } from '../../macos/kcpassword.ts';
import type { CommandPort, CommandResult } from '../host/command-port.ts';
import { noGuiSession } from './gui-session.ts';
import { createMacProbes, type HostProbesOptions, readShutdown } from './host-probes.ts';
import { freePercent, judgeDisk, judgePids } from './judge-host.ts';
import { chooseAddress, findNodeAddress } from './node-address.ts';
import type { Concern } from './node-facts.ts';

const signal = new AbortController().signal;
const hexOf = (password: string): string => Buffer.from(encodeKcpassword(password)).toString('hex', 0, 8);

interface Mac {
  /** By the first word that matters. */
  readonly says?: Readonly<Record<string, Partial<CommandResult>>>;
  readonly processes?: number;
  readonly freeBytes?: number;
  readonly tart?: () => Promise<string>;
}

const optionsOf = ({
  says = {},
  processes = 100,
  freeBytes = 50,
  tart = async () => '2.32.1',
}: Mac): HostProbesOptions => {
  const commands: Pick<CommandPort, 'run' | 'processes'> = {
    run: async ({ argv }) => {
      const found = Object.entries(says).find(([word]) => argv.includes(word));
      return { code: 0, stdout: '', stderr: '', ...found?.[1] };
    },
    processes: async () => Array.from({ length: processes }, (_, pid) => ({ pid, startedAtMs: 0, command: '' })),
  };
  return {
    ...{ commands, session: noGuiSession, user: 'm1', noteRunning: () => undefined },
    vms: { version: tart, running: async () => [] },
    measureDisk: async () => ({ totalBytes: 100, freeBytes }),
  };
};

const LOGGED_IN = { autoLoginUser: { stdout: 'm1\n' }, '/etc/kcpassword': { stdout: ` ${hexOf('secret')}\n` } };

describe('a Mac', () => {
  for (const { story, answer, is } of [
    { story: 'that shuts down says so', answer: { stdout: '1\n' }, is: true },
    { story: 'that stays says so', answer: { stdout: '0\n' }, is: false },
    { story: 'of a macOS that does not know the word stays', answer: { code: 1, stderr: 'unknown oid' }, is: false },
  ]) {
    it(story, async () => {
      const { commands } = optionsOf({ says: { 'kern.willshutdown': answer } });
      assert.equal(await readShutdown(commands, signal), is);
    });
  }
});

describe('what is found on a Mac', () => {
  const ROWS: readonly { readonly story: string; readonly concern: Concern; readonly mac: Mac; readonly is: string }[] =
    [
      { story: 'room on the disk', concern: 'disk', mac: {}, is: 'well' },
      { story: 'no room', concern: 'disk', mac: { freeBytes: 9 }, is: 'TartKubeletHasDiskPressure' },
      {
        story: 'memory enough',
        concern: 'memory',
        mac: { says: { 'kern.memorystatus_vm_pressure_level': { stdout: '2\n' } } },
        is: 'well',
      },
      {
        story: 'no memory',
        concern: 'memory',
        mac: { says: { 'kern.memorystatus_vm_pressure_level': { stdout: '4\n' } } },
        is: 'TartKubeletHasMemoryPressure',
      },
      { story: 'a Mac that does not tell', concern: 'memory', mac: {}, is: 'unknown' },
      { story: 'few processes', concern: 'pids', mac: { says: { 'kern.maxproc': { stdout: '4000' } } }, is: 'well' },
      {
        story: 'too many processes',
        concern: 'pids',
        mac: { processes: 3_700, says: { 'kern.maxproc': { stdout: '4000' } } },
        is: 'TartKubeletHasPIDPressure',
      },
      { story: 'a Tart that answers', concern: 'tart', mac: {}, is: 'well' },
      {
        story: 'a Tart that is missing',
        concern: 'tart',
        mac: { tart: () => Promise.reject(new FleetError('unavailable', { code: 'TartMissing', message: 'none' })) },
        is: 'TartMissing',
      },
      { story: 'a user who is logged in at boot', concern: 'autoLogin', mac: { says: LOGGED_IN }, is: 'well' },
      {
        story: 'another user',
        concern: 'autoLogin',
        mac: { says: { ...LOGGED_IN, autoLoginUser: { stdout: 'bob' } } },
        is: 'AutoLoginOff',
      },
      {
        story: 'no user',
        concern: 'autoLogin',
        mac: { says: { ...LOGGED_IN, autoLoginUser: { code: 1 } } },
        is: 'AutoLoginOff',
      },
      {
        story: 'no password file',
        concern: 'autoLogin',
        mac: { says: { ...LOGGED_IN, '/etc/kcpassword': { code: 1 } } },
        is: 'PasswordMissing',
      },
      {
        story: 'a password that macOS refused (§7-5)',
        concern: 'autoLogin',
        mac: { says: { ...LOGGED_IN, '/etc/kcpassword': { stdout: hexOf('<sealed>').replaceAll(/(..)/g, ' $1') } } },
        is: 'PasswordSealed',
      },
    ];
  for (const { story, concern, mac, is } of ROWS) {
    it(`${concern}: ${story}`, async () => {
      const finding = await createMacProbes(optionsOf(mac))[concern](signal);
      assert.equal(finding.is === 'ill' ? finding.reason : finding.is, is);
    });
  }

  for (const { code, is } of [
    { code: 'GuiSessionMissing', is: 'ill' },
    { code: 'GuiSessionUnseen', is: 'unknown' },
  ]) {
    it(`guiSession: ${code} is ${is}`, async () => {
      const ensure = () => Promise.reject(new FleetError('unavailable', { code, message: 'so it is' }));
      const finding = await createMacProbes({ ...optionsOf({}), session: { ...noGuiSession, ensure } }).guiSession(
        signal,
      );
      assert.deepEqual(finding, { is, reason: code, message: 'so it is' });
    });
  }

  it('is not guessed where sudo asks for a password', async () => {
    const mac = { says: { '-n': { code: 1, stderr: 'sudo: a password is required' } } };
    await assert.rejects(createMacProbes(optionsOf(mac)).autoLogin(signal), /nobody can look/);
  });

  it('is a disk under pressure until there is some more room than it began with', () => {
    const pressed = judgeDisk({ totalBytes: 100, freeBytes: 9 }, { is: 'well' });
    assert.equal(judgeDisk({ totalBytes: 100, freeBytes: 11 }, pressed).is, 'ill');
    assert.equal(judgeDisk({ totalBytes: 100, freeBytes: 12 }, pressed).is, 'well');
    assert.equal(judgeDisk({ totalBytes: 100, freeBytes: 10 }, { is: 'well' }).is, 'well');
  });

  it('is computed as the original does (§9.3-2)', () => {
    assert.equal(freePercent({ totalBytes: 200, freeBytes: 50 }), 25);
    assert.equal(freePercent({ totalBytes: 0, freeBytes: 0 }), 100);
    assert.equal(judgePids(10, 0).is, 'well');
  });
});

describe('the address of a Node', () => {
  const on = (name: string, address: string, internal = false) => ({
    interface: name,
    family: 'IPv4' as const,
    address,
    internal,
  });
  const ROWS = [
    { story: 'the first of its own', found: [on('lo0', '127.0.0.1', true), on('en0', '51.1.2.3')], is: '51.1.2.3' },
    {
      story: 'not that of a bridge to VMs',
      found: [on('bridge100', '192.168.64.1'), on('vmnet1', '10.1.1.1'), on('en1', '10.0.0.2')],
      is: '10.0.0.2',
    },
    { story: 'not one that it gave itself', found: [on('en0', '169.254.3.4')], is: undefined },
    { story: 'not IPv6', found: [{ ...on('en0', '::1'), family: 'IPv6' as const }], is: undefined },
  ];
  for (const { story, found, is } of ROWS) {
    it(`is ${story}`, () => assert.equal(chooseAddress(found), is));
  }

  const ask = (given: string, answer: CommandResult): Promise<string | undefined> =>
    findNodeAddress({
      given,
      source: 'tailscale',
      interfaces: () => [on('en0', '51.1.2.3')],
      commands: { run: async () => answer },
      signal,
    });

  it('is what a flag says, before all else', async () => {
    assert.equal(await ask('10.9.9.9', { code: 1, stdout: '', stderr: '' }), '10.9.9.9');
  });

  it('is that of the tailnet where it is asked for, and never a public one instead', async () => {
    assert.equal(await ask('', { code: 0, stdout: '100.64.0.7\n', stderr: '' }), '100.64.0.7');
    await assert.rejects(
      ask('', { code: 1, stdout: '', stderr: 'not logged in' }),
      /tells no IPv4 address: not logged in/,
    );
  });
});
