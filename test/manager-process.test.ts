/** bin/manager.ts as a process of its own, over HTTPS, on a control plane that has no provider inside. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { runCli } from '../src/cli/run-cli.ts';

const MANAGER = join(import.meta.dirname, '..', 'bin', 'manager.ts');
/** Whom Cluster API core comes as. */
const CORE = ['--capi-remote-account', 'capi-remote'];
const data = mkdtempSync(join(tmpdir(), 'macfleet-manager-'));
after(() => rmSync(data, { recursive: true, force: true }));

describe('the manager process', () => {
  it('joins simulated Macs to a cluster that it only reaches by its kubeconfig', { timeout: 60_000 }, async ({
    signal,
  }) => {
    const started = Promise.withResolvers<void>();
    let stdout = '';
    const io = {
      stdout: (text: string) => {
        stdout += text;
        if (/kubeconfig:/.test(stdout)) started.resolve();
      },
      stderr: () => undefined,
      env: {},
      signal,
    };
    const args = ['up', '--provider', 'elsewhere', '--machines', '2', '--until', 'jobs-done', '--data', data];
    const ended = runCli({ args, version: '0', io });
    await started.promise;
    const quiet = ['--metrics-bind-address', '0', '--health-probe-bind-address', '0'];
    const flags = ['--kubeconfig', join(data, 'kubeconfig'), '--simulated-macs', '2', ...quiet, ...CORE];
    const manager = spawn(process.execPath, [MANAGER, ...flags], { stdio: 'ignore', signal });
    const gone = once(manager, 'exit');
    assert.equal(await ended, 0, stdout);
    assert.match(stdout, /work job\/hello-macos 3\/3 done/);
    manager.kill('SIGKILL');
    await gone;
  });
});
