/** `./macfleet up` as a person uses it: in a terminal, with kubectl beside it, stopped by Ctrl-C, killed, and started again. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { until as untilWithin } from '../../tools/cluster/testing/stage.ts';
import { openTerminal, PTY, type Terminal } from '../../tools/record/terminal.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const LIMIT_MS = 120_000;
/** A whole fleet comes and goes, beside whatever else the machine does. */
const until = (what: string, condition: () => boolean | Promise<boolean>): Promise<void> =>
  untilWithin(what, condition, LIMIT_MS / 2);
const scratch = mkdtempSync(join(tmpdir(), 'macfleet-by-hand-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

const isThere = (program: string): boolean => spawnSync(program, ['--help'], { stdio: 'ignore' }).error === undefined;
const skip = [PTY, 'kubectl'].find((program) => !isThere(program));

const open = (columns: number, command: string): Terminal => openTerminal({ columns, folder: ROOT, command });

/** The table as it stands on the screen by now. */
const lastPicture = (text: string): string => text.slice(text.lastIndexOf('MAC '));

describe('up in a terminal', { skip: skip === undefined ? false : `there is no ${skip} here` }, () => {
  const data = join(scratch, 'data');
  const command = `./macfleet up --macs-as step-level --fleet macos --data ${data}`;
  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const env = { ...process.env, KUBECONFIG: join(data, 'kubeconfig') };
    return (await promisify(execFile)('kubectl', [...args], { env })).stdout;
  };
  const machines = async (): Promise<string> => kubectl('get', 'machines', '-o', 'jsonpath={.items[*].status.phase}');
  const untilRunning = (count: number) =>
    until(`${count} Machines run`, async () => (await machines()) === Array(count).fill('Running').join(' '));

  const macfleet = async (...args: readonly string[]): Promise<string> => {
    const env = { ...process.env, KUBECONFIG: join(data, 'kubeconfig') };
    return (await promisify(execFile)(join(ROOT, 'macfleet'), [...args], { env })).stdout;
  };
  /** Each Node as it is known to the cluster: another one of the same name would be another one. */
  const nodes = (): Promise<string> =>
    kubectl('get', 'nodes', '-o', 'jsonpath={range .items[*]}{.metadata.name} {.metadata.uid}{"\\n"}{end}');
  /** Without a word: the program itself, which the terminal's shell became. */
  const killAtOnce = async ({ child, ended }: Terminal): Promise<void> => {
    const [pid = ''] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ');
    process.kill(Number(pid), 'SIGKILL');
    await ended;
  };

  const trySuggested = async (terminal: Terminal): Promise<void> => {
    await until('it suggests what to try', () => /Ctrl-C stops everything/.test(terminal.text()));
    const tries = terminal.text().match(/^ {2}(kubectl|\.\/macfleet|curl) .*$/gm) ?? [];
    const suggested = [...new Set(tries.map((line) => line.trim().replaceAll('\r', '')))];
    assert.equal(suggested.length, 5, suggested.join('\n'));
    assert.ok(terminal.text().includes(`export KUBECONFIG=${join(data, 'kubeconfig')}`));
    await until('the Job is done', () => /hello-macos 3\/3 done/.test(terminal.text()));
    for (const line of suggested) {
      const env = { ...process.env, KUBECONFIG: join(data, 'kubeconfig') };
      await promisify(execFile)('sh', ['-c', line], { env, cwd: ROOT });
    }
  };

  const tryOut = async (t: TestContext): Promise<void> => {
    const terminal = open(100, command);
    t.after(() => terminal.child.kill('SIGKILL'));
    await trySuggested(terminal);
    const widest = Math.max(
      ...lastPicture(terminal.text())
        .split(/\r?\n/)
        .map(({ length }) => length),
    );
    assert.ok(widest <= 100, `${widest} columns`);
    assert.match(await macfleet('audit'), /^Nothing found\.$/m);
    await kubectl('scale', 'machinedeployment', 'macos', '--replicas', '5');
    await untilRunning(5);
    const [first] = (await kubectl('get', 'machines', '-o', 'name')).split('\n');
    await kubectl('delete', first ?? '', '--wait=false');
    await kubectl('scale', 'machinedeployment', 'macos', '--replicas', '2');
    await untilRunning(2);
    await until(
      'three Macs are wiped and free',
      () => (lastPicture(terminal.text()).match(/ free /g) ?? []).length === 3,
    );
    terminal.child.stdin?.write('\u0003');
    const [code] = await terminal.ended;
    assert.match(terminal.text(), /Stopping: the controllers, the Macs, the dispatcher of jobs, the API server/);
    assert.match(terminal.text(), /The fleet stays in .*data: `macfleet up --data/);
    assert.equal(code, 0);
  };

  /** Breaks the fleet as a person does, and sees that it gets well without one. */
  const breakIt = async (): Promise<void> => {
    const free = await kubectl('get', 'machosts', '-o', 'jsonpath={.items[?(@.status.state=="free")].metadata.name}');
    for (const mac of free.split(' ')) await macfleet('sim', 'fault', 'pf-wedged', '--mac', mac, '--count', '2');
    assert.match(await macfleet('sim', 'fault', 'F01', '--count', '10'), /^F01 is on: a call fails with 500/);
    await kubectl('scale', 'machinedeployment', 'macos', '--replicas', '3');
    await untilRunning(3);
    const farm = async (field: string): Promise<string> =>
      kubectl(
        'get',
        'pods',
        '-l',
        'app=simulator-farm',
        '-o',
        `jsonpath={.items[?(@.status.phase=="Running")].${field}}`,
      );
    await until('its VM runs', async () => (await farm('metadata.name')) !== '');
    const before = await farm('status.containerStatuses[0].containerID');
    assert.match(await macfleet('sim', 'fault', 'reboot', '--mac', await farm('spec.nodeName')), /it restarts/);
    await until('a virtual machine that its Mac lost runs anew', async () => {
      const now = await farm('status.containerStatuses[0].containerID');
      const restarts = await farm('status.containerStatuses[0].restartCount');
      return now !== '' && (now !== before || restarts !== '0');
    });
    await kubectl('scale', 'machinedeployment', 'macos', '--replicas', '2');
    await untilRunning(2);
  };

  const goOn = async (t: TestContext): Promise<void> => {
    const terminal = open(40, command);
    t.after(() => terminal.child.kill('SIGKILL'));
    await until('the table is there', () => /MAC +STATE/.test(terminal.text()));
    assert.match(terminal.text(), /Going on where the last run in this folder ended/);
    await untilRunning(2);
    const second = spawnSync(join(ROOT, 'macfleet'), ['up', '--data', data], { cwd: ROOT, encoding: 'utf8' });
    assert.match(second.stderr, /what to do: .*\n {2}code: StoreInUse/, second.stderr);
    const picture = lastPicture(terminal.text()).split(/\r?\n/);
    assert.ok(Math.max(...picture.slice(0, 4).map(({ length }) => length)) <= 40, picture.join('\n'));
    await breakIt();
    // More are wanted, and it dies while their Macs are prepared.
    const own = (await kubectl('get', 'machines', '-o', 'jsonpath={.items[*].status.nodeRef.name}')).split(' ');
    const joined = (await nodes()).split('\n').filter((node) => own.includes(node.split(' ')[0] ?? ''));
    assert.equal(joined.length, 2);
    await kubectl('scale', 'machinedeployment', 'macos', '--replicas', '4');
    await until('a Mac is on its way', async () =>
      /claimed|preparing/.test(await kubectl('get', 'machosts', '-o', 'jsonpath={.items[*].status.state}')),
    );
    await killAtOnce(terminal);
    await revive(t, joined);
  };

  const revive = async (t: TestContext, joined: readonly string[]): Promise<void> => {
    const terminal = open(100, command);
    t.after(() => terminal.child.kill('SIGKILL'));
    await until('the table is there', () => /MAC +STATE/.test(terminal.text()));
    await untilRunning(4);
    const now = await nodes();
    for (const node of joined) assert.ok(now.includes(node), `${node} is not among\n${now}`);
    // The Mac of the one that was given up may be a Node until it is wiped.
    await until('there are no other Nodes', async () => (await nodes()).trim().split('\n').length === 4);
    terminal.child.stdin?.write('\u0003');
    await until('it stops', () => /Stopping/.test(terminal.text()));
    terminal.child.stdin?.write('\u0003');
    const [code] = await terminal.ended;
    // Either it was at its end already, or it was cut off as a program that gets a second SIGINT: that it is, test/process-io.test.ts shows.
    assert.ok(code === 0 || code === 130, `exit code ${code}`);
    assert.ok(readFileSync(join(data, 'kubeconfig'), 'utf8').length > 0);
  };

  // In this order, whatever the seed of the run: the second goes on with what the first left.
  it('is all that a person needs', { timeout: 4 * LIMIT_MS }, async (t) => {
    await t.test('shows a table that fits, does what it suggests, grows and shrinks, and stops in order', tryOut);
    await t.test(
      'goes on in a narrow terminal, heals what sim fault breaks, and after kill -9 amid a bootstrap has the same Nodes',
      goOn,
    );
  });
});
