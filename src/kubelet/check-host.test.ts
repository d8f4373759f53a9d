import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neverAborted } from '../base/abort.ts';
import { createSystemClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import { createSeededRandom } from '../base/random.ts';
import { createHostIo } from '../kube/client/login/host-io.ts';
import { checkHost } from './check-host.ts';
import { parseKubeletFlags } from './flags.ts';
import type { CommandPort, CommandResult } from './host/command-port.ts';
import { type HostProcess, openHost } from './open-host.ts';

const HERE: HostProcess = {
  ...{ platform: 'macos', kernelVersion: '25.1.0', user: 'm1', uid: 501, env: {}, interfaces: () => [] },
  usage: () => ({ cpuSeconds: 0, memoryTotalBytes: 1, memoryFreeBytes: 1 }),
  size: { cpus: 8, memoryBytes: 16e9 },
};

/** `--check` on a Mac that says this of its graphical session. */
const check = async (session: Partial<CommandResult>): Promise<{ readonly said: string; readonly ran: string[] }> => {
  const ran: string[] = [];
  const lines: string[] = [];
  const commands: CommandPort = {
    run: async ({ argv }) => {
      ran.push(argv.join(' '));
      return { code: 0, stdout: '', stderr: '', ...(argv.includes('gui/501') ? session : {}) };
    },
    ...{ startRecorded: () => Promise.reject(new Error('nothing is started')), processes: async () => [] },
    ...{ isAlive: () => false, kill: () => false },
  };
  const [clock, random, signal] = [createSystemClock(), createSeededRandom('check'), neverAborted()];
  const mac = openHost({
    ...{ flags: parseKubeletFlags(['--check']), clock, random, logger: silentLogger, process: HERE },
    ...{ agentVersion: 'v0', life: signal, commands },
  });
  const isWell = await checkHost({
    ...{ mac, host: createHostIo(), nodeName: 'mac-1', capacity: { cpu: 8, memoryMib: 1, pods: 2 } },
    ...{ kubeconfig: '/nowhere/kubeconfig', say: (line) => void lines.push(line), signal },
  });
  assert.equal(isWell, false);
  return { said: lines.join('\n'), ran };
};

describe('tart-kubelet --check', () => {
  it('looks for a graphical session once, says that there is none, and starts nothing again', async () => {
    const { said, ran } = await check({ code: 113 });
    assert.match(said, /^WRONG graphical session: .*has no graphical session\. /m);
    assert.equal(ran.filter((line) => line.includes('gui/501')).length, 1);
    assert.ok(ran.length > 3, 'it ran what it looks with');
    const changing = ran.filter((line) => /kickstart|killall|tart (clone|run|set|delete|prune|stop|pull)/.test(line));
    assert.deepEqual(changing, []);
  });

  it('says that nobody can tell where sudo does not let it look', async () => {
    const { said } = await check({ code: 1, stderr: 'sudo: a password is required' });
    assert.match(said, /^\? {5}graphical session: .*nobody can say/m);
  });
});
