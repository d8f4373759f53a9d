/** The VmPort over the `tart` command. */
import { FleetError, isKind, toFleetError } from '../../base/errors.ts';
import { isGoldenName } from './golden-name.ts';
import { readExit, readStart, readVnc } from './run-record.ts';
import { stopVm, suspendVm } from './stop-vm.ts';
import { parseAddress, parseTartList, parseTartVersion } from './tart-answers.ts';
import { TART_LIMITS_MS } from './tart-cli.ts';
import { toTartError } from './tart-errors.ts';
import type { Configured, ConfigureVm, ExecInVm, ExecResult, VmPort, VmRun } from './vm-port.ts';
import { createVmStarter, type VmStarterOptions } from './vm-starter.ts';
import { observeVmProcesses, recordDirOf, type VmWork } from './vm-work.ts';
import { watchExit } from './watch-run.ts';

export type TartVmsOptions = VmStarterOptions;

const IP_WAIT_SECONDS = 30;

export const createTartVms = (options: TartVmsOptions): VmPort => {
  const work: VmWork = options;
  const { cli, files } = options;
  const start = createVmStarter(options);
  const running = async (signal: AbortSignal): Promise<readonly string[]> =>
    (await observeVmProcesses(work, signal)).map(({ vm }) => vm);
  return {
    version: async (signal) =>
      parseTartVersion(
        await cli.ask({ doing: 'tart --version', words: ['--version'], timeoutMs: TART_LIMITS_MS.version, signal }),
      ),
    list: async (signal) => {
      const words = ['list', '--format', 'json'];
      const text = await cli.ask({ doing: 'tart list', words, timeoutMs: TART_LIMITS_MS.list, signal });
      const live = new Set(await running(signal));
      return parseTartList(text)
        .filter(({ source }) => source === 'local')
        .map(({ name, sizeGb }) => ({ name, sizeGb, running: live.has(name), isGolden: isGoldenName(name) }));
    },
    running,
    clone: async ({ from, to, signal }) => {
      const words = ['clone', from, to];
      await cli.ask({ doing: 'tart clone', words, timeoutMs: TART_LIMITS_MS.clone, signal });
    },
    configure: (request) => configure(work, request),
    start,
    adopt: (vm, signal) => adopt(work, vm, signal),
    stop: (request) => stopVm(work, request),
    suspend: (vm, signal) => suspendVm(work, vm, signal),
    remove: async (vm, signal) => {
      try {
        await cli.ask({ doing: 'tart delete', words: ['delete', vm], timeoutMs: TART_LIMITS_MS.delete, signal });
      } catch (thrown) {
        if (toFleetError(thrown).code !== 'VmMissing') throw thrown;
      }
      await files.remove(recordDirOf(work, vm));
    },
    addressOf: (vm, signal) => addressOf(work, vm, signal),
    exec: (request) => exec(work, request),
    vncOf: (vm) => readVnc(files, recordDirOf(work, vm)),
  };
};

/** One command, as each takes its time; a second only where the first failed and may have failed for the serial's sake. */
const configure = async ({ cli }: VmWork, request: ConfigureVm): Promise<Configured> => {
  const { vm, cpus, memoryMib, randomSerial, signal } = request;
  const size = [
    ...(cpus === undefined ? [] : ['--cpu', String(cpus)]),
    ...(memoryMib === undefined ? [] : ['--memory', String(memoryMib)]),
  ];
  const set = async (words: readonly string[]): Promise<void> => {
    if (words.length === 0) return;
    await cli.ask({ doing: 'tart set', words: ['set', vm, ...words], timeoutMs: TART_LIMITS_MS.set, signal });
  };
  if (randomSerial !== true) {
    await set(size);
    return {};
  }
  try {
    await set([...size, '--random-serial']);
    return {};
  } catch (thrown) {
    if (isKind(thrown, 'cancelled', 'invalid', 'not-found')) throw thrown;
    await set(size);
    return { serialKept: toFleetError(thrown) };
  }
};

const adopt = async (work: VmWork, vm: string, signal: AbortSignal): Promise<VmRun | undefined> => {
  const folder = recordDirOf(work, vm);
  const recorded = await readStart(work.files, folder);
  const exit = await readExit(work.files, folder);
  if (recorded !== undefined && exit !== undefined) return { vm, ...recorded, exited: Promise.resolve(exit) };
  const live = (await observeVmProcesses(work, signal)).find((process) => process.vm === vm);
  if (live !== undefined) {
    const start = recorded?.pid === live.pid ? recorded : live;
    return { vm, pid: start.pid, startedAtMs: start.startedAtMs, exited: watchExit(work, { vm, pid: live.pid }) };
  }
  // It was started and is gone, and nobody was there to write how: the Mac was.
  return recorded === undefined ? undefined : { vm, ...recorded, exited: watchExit(work, { vm, pid: undefined }) };
};

/** Tart answers for a VM that is gone from its last lease, so its process is looked at too, before and after. */
const addressOf = async (work: VmWork, vm: string, signal: AbortSignal): Promise<string> => {
  await checkRuns(work, vm, signal);
  const words = ['ip', vm, '--wait', String(IP_WAIT_SECONDS)];
  const text = await work.cli.ask({ doing: 'tart ip', words, timeoutMs: TART_LIMITS_MS.ip, signal });
  await checkRuns(work, vm, signal);
  const address = parseAddress(text);
  if (address !== undefined) return address;
  throw new FleetError('unavailable', {
    code: 'VmHasNoAddress',
    message: `tart ip: ${JSON.stringify(text.slice(0, 80))} is no address of ${vm}`,
  });
};

const checkRuns = async (work: VmWork, vm: string, signal: AbortSignal): Promise<void> => {
  const recorded = await readStart(work.files, recordDirOf(work, vm));
  const hasEnded = (await readExit(work.files, recordDirOf(work, vm))) !== undefined;
  if (recorded !== undefined && !hasEnded && work.commands.isAlive(recorded.pid)) return;
  const live = await observeVmProcesses(work, signal);
  if (live.some((process) => process.vm === vm)) return;
  throw new FleetError('not-found', { code: 'VmNotRunning', message: `tart ip: no process runs ${vm}` });
};

/** A code of the guest's program, unless Tart itself says that it could not ask. */
const exec = async ({ cli }: VmWork, request: ExecInVm): Promise<ExecResult> => {
  const { vm, argv, timeoutMs, outputBytesMax, signal } = request;
  const result = await cli.run({
    ...{ doing: 'tart exec', words: ['exec', vm, ...argv], timeoutMs, signal },
    ...(outputBytesMax === undefined ? {} : { outputBytesMax }),
  });
  const error = toTartError('tart exec', result);
  const isTarts = ['GuestAgentSilent', 'VmNotRunning', 'VmMissing'].includes(error.code);
  if (result.code === undefined || (result.code !== 0 && isTarts && result.stdout === '')) throw error;
  return { code: result.code, stdout: result.stdout, stderr: result.stderr };
};
