/** What Tart and the Mac print, read; and what we say to them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FleetError } from '../../base/errors.ts';
import { parseProcesses } from '../host/process-table.ts';
import { goldenLabelOf, goldenNameOf, isGoldenName } from './golden-name.ts';
import { parseVncAddress, toExit } from './run-record.ts';
import { findVmProcesses } from './running-vms.ts';
import { runArguments } from './start-vm.ts';
import { parseAddress, parseSize, parseTartList, parseTartVersion } from './tart-answers.ts';
import { toTartError } from './tart-errors.ts';

describe('what Tart prints', () => {
  const SIZES: readonly (readonly [story: string, json: string, sizeGb: number])[] = [
    ['an integer', '41', 41],
    ['a quoted decimal', '"41.250"', 41.25],
    ['a quoted integer', '"41"', 41],
    ['a bare decimal', '41.5', 41.5],
    ['nonsense', '"much"', 0],
    ['nothing', 'null', 0],
  ];
  for (const [story, json, sizeGb] of SIZES) {
    test(`§9.2-1 §7-25 a size that is ${story} is read`, () => {
      assert.deepEqual(parseTartList(`[{"Source" : "local", "Name" : "a", "Size" : ${json}, "New" : {}}]`), [
        { source: 'local', name: 'a', sizeGb },
      ]);
      assert.equal(parseSize(JSON.parse(json)), sizeGb);
    });
  }

  test('a list that is none says so', () => {
    for (const text of ['', '{', '{}', '[{"Size" : 1}]']) {
      assert.throws(() => parseTartList(text), { code: 'TartGarbled' }, text);
    }
  });

  const VERSIONS: readonly (readonly [printed: string, code: string | undefined])[] = [
    ['2.32.0\n', undefined],
    ['2.32.1', undefined],
    ['2.40', undefined],
    ['10.0.0', undefined],
    ['SNAPSHOT', undefined],
    ['2.31.9', 'TartTooOld'],
    ['1.99.0', 'TartTooOld'],
    ['tart: command not found', 'TartGarbled'],
    ['', 'TartGarbled'],
  ];
  for (const [printed, code] of VERSIONS) {
    test(`version ${JSON.stringify(printed)} is ${code ?? 'good'}`, () => {
      if (code === undefined) assert.equal(parseTartVersion(printed), printed.trim());
      else assert.throws(() => parseTartVersion(printed), { code });
    });
  }

  test('an address is one, and nothing else is', () => {
    assert.equal(parseAddress('192.168.64.2\n'), '192.168.64.2');
    for (const text of ['', 'no IP address found', '192.168.64', '192.168.64.2 x']) {
      assert.equal(parseAddress(text), undefined);
    }
  });
});

const DID_NOT_START =
  'Error Domain=VZErrorDomain Code=1 "The virtual machine failed to start." UserInfo={NSLocalizedFailure=Internal Virtualization error.}';

describe('what goes wrong in Tart', () => {
  const ERRORS: readonly (readonly [stderr: string, exitCode: number, kind: string, code: string])[] = [
    ['the specified VM "a" does not exist', 2, 'not-found', 'VmMissing'],
    ['VM "a" is not running', 2, 'not-found', 'VmNotRunning'],
    ['VM "a" is already running!', 2, 'exists', 'VmAlreadyRuns'],
    ['VM "a" is running', 1, 'conflict', 'VmRuns'],
    ['There isn’t enough space', 1, 'no-capacity', 'NoSpace'],
    ["there isn't enough space", 1, 'no-capacity', 'NoSpace'],
    ['database or disk is full', 1, 'no-capacity', 'NoSpace'],
    ['write: No space left on device', 1, 'no-capacity', 'NoSpace'],
    ['The number of VMs exceeds the system limit (other running VMs: b)', 1, 'no-capacity', 'VmLimitReached'],
    ['Error: AuthFailed(why: "received unexpected HTTP status code 401")', 1, 'denied', 'ImagePullDenied'],
    [
      'Error: UnexpectedHTTPStatusCode(when: "pulling manifest", code: 403, details: "")',
      1,
      'denied',
      'ImagePullDenied',
    ],
    [
      'Error: UnexpectedHTTPStatusCode(when: "pulling manifest", code: 404, details: "")',
      1,
      'not-found',
      'ImageNotFound',
    ],
    ['Error: UnexpectedHTTPStatusCode(when: "x", code: 429, details: "")', 1, 'throttled', 'RegistryThrottled'],
    ['Error: UnexpectedHTTPStatusCode(when: "x", code: 503, details: "")', 1, 'unavailable', 'TartFailed'],
    ['failed to parse remote name: x', 1, 'invalid', 'BadImageName'],
    ['Error: LessThanMinimalResourcesError: VM should have', 1, 'invalid', 'VmTooSmall'],
    ['memorySize > maximumAllowedMemorySize', 1, 'invalid', 'VmTooLarge'],
    ['Error Domain=VZErrorDomain Code=-9 "x" Failed to create new HostKey', 1, 'unavailable', 'NoGuiSession'],
    [DID_NOT_START, 1, 'unavailable', 'VmStartRefused'],
    ['Error Domain=VZErrorDomain Code=10 "something else"', 1, 'unavailable', 'TartFailed'],
    ['SecKeyCreateRandomKey_ios failed: Interaction is not allowed', 1, 'unavailable', 'KeychainClosed'],
    ['Error: Unknown option', 64, 'contract', 'TartRefusedWords'],
    ['the disk is on fire, not out of room', 1, 'unavailable', 'TartFailed'],
  ];
  for (const [stderr, exitCode, kind, code] of ERRORS) {
    test(`§9.5-1 "${stderr}" is ${code}`, () => {
      const error = toTartError('tart x', { code: exitCode, stdout: '', stderr: `${stderr}\n` });
      assert.deepEqual([error.kind, error.code], [kind, code]);
      assert.match(error.message, /^tart x: /);
    });
  }

  test('silence is told by the code or the signal', () => {
    assert.equal(toTartError('tart x', { code: 9, stdout: '', stderr: '' }).message, 'tart x: ended with code 9');
    assert.match(toTartError('tart x', { killedBy: 'SIGKILL', stdout: '', stderr: '' }).message, /ended by SIGKILL/);
  });
});

describe('which VMs run', () => {
  const at = (command: string) => ({ pid: 1, startedAtMs: 0, command });
  const ROWS: readonly (readonly [story: string, command: string, vm: string | undefined])[] = [
    ['Tart itself', '/usr/local/lib/tart.app/Contents/MacOS/tart run a --no-graphics', 'a'],
    ['one without a path', 'tart run a', 'a'],
    ['one with options first', 'tart run --no-graphics --dir env:/x:ro a', 'a'],
    ['its wrapper, before it becomes Tart', '/bin/sh /usr/local/bin/tart run a', 'a'],
    ['another subcommand', 'tart stop a', undefined],
    ['a shell whose text names it', '/bin/zsh -c tart run a', undefined],
    ['an editor of a file of that name', 'vim tart run a', undefined],
    ['a program whose name ends like it', '/usr/bin/start run a', undefined],
  ];
  for (const [story, command, vm] of ROWS) {
    test(`§7-30 ${story} counts ${vm === undefined ? 'not' : `as ${vm}`}`, () => {
      assert.deepEqual(
        findVmProcesses([at(command)]).map((process) => process.vm),
        vm === undefined ? [] : [vm],
      );
    });
  }

  test('the process table of macOS and Linux is read', () => {
    const text = '  501 Mon Nov  2 09:42:21 2026 tart run a\n 4711 Mon Nov 16 09:42:21 2026 [kworker/0:1]\nrubbish\n';
    assert.deepEqual(parseProcesses(text), [
      { pid: 501, startedAtMs: Date.UTC(2026, 10, 2, 9, 42, 21), command: 'tart run a' },
      { pid: 4_711, startedAtMs: Date.UTC(2026, 10, 16, 9, 42, 21), command: '[kworker/0:1]' },
    ]);
  });
});

describe('a run', () => {
  const shares = [
    { name: 'env', path: '/data/env', readOnly: true },
    { name: 'status', path: '/data/status', readOnly: false },
  ];

  test('is asked for without a screen, with its folders', () => {
    const words =
      'run a --no-graphics --root-disk-opts caching=cached --dir env:/data/env:ro --dir status:/data/status';
    assert.deepEqual(runArguments({ vm: 'a', graphics: 'none', shares }), words.split(' '));
  });

  test('§9.2-8 is asked for with a screen', () => {
    const words = 'run a --vnc-experimental --graphics --root-disk-opts caching=cached';
    assert.deepEqual(runArguments({ vm: 'a', graphics: 'vnc', shares: [] }), words.split(' '));
  });

  test('is asked for on a network of its own, for machines in it, and to be suspended', () => {
    const words = 'run a --no-graphics --root-disk-opts caching=cached --net-softnet --nested --suspendable';
    const wanted = { network: 'softnet', nested: true, suspendable: true } as const;
    assert.deepEqual(runArguments({ vm: 'a', graphics: 'none', shares: [], ...wanted }), words.split(' '));
  });

  test('with a folder that Tart would misread is refused', () => {
    const bad = { name: 'env', path: '/data/a:b', readOnly: true };
    assert.throws(() => runArguments({ vm: 'a', graphics: 'none', shares: [bad] }), FleetError);
  });

  test('ends with a code, or with the signal that a shell tells as one', () => {
    assert.deepEqual(toExit(0, 5), { code: 0, atMs: 5 });
    assert.deepEqual(toExit(64, 5), { code: 64, atMs: 5 });
    assert.deepEqual(toExit(137, 5), { signal: 'SIGKILL', atMs: 5 });
    assert.deepEqual(toExit(193, 5), { signal: 'signal 65', atMs: 5 });
  });

  const SCREENS: readonly (readonly [printed: string, port: number | undefined])[] = [
    [':one-two@127.0.0.1:5901\n', 5_901],
    [':one-two@127.0.0.1:5901...\n', 5_901],
    [':one-two@127.0.0.1:5901).\n', 5_901],
    ['192.168.64.2\n', undefined],
    ['127.0.0.1:5901\n', undefined],
    [':@127.0.0.1:5901\n', undefined],
  ];
  for (const [printed, port] of SCREENS) {
    test(`§9.2-8 the screen ${JSON.stringify(printed)} is ${port === undefined ? 'refused' : 'read'}`, () => {
      assert.equal(parseVncAddress(printed)?.port, port);
    });
  }
});

describe('the name of a base', () => {
  test('§9.4-9 is the same for the same image, short, and known to schedulers', () => {
    const image = `ghcr.io/tuist/tuist-runner@sha256:${'a'.repeat(64)}`;
    const golden = goldenNameOf(image);
    assert.equal(goldenLabelOf(golden), 'tuist.dev/golden-9c8af651fdf30b10');
    assert.ok(golden.length <= 63);
    assert.notEqual(goldenNameOf('ghcr.io/a/b:1'), goldenNameOf('ghcr.io/a/b:2'));
  });

  test('§9.4-9 is not taken by a VM', () => {
    assert.equal(isGoldenName('tuist-golden-runner-1'), false);
    assert.equal(goldenLabelOf('pod-a'), undefined);
  });
});
