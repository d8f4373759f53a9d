/** Starts a VM and waits until it is known to run. */
import { linkedController } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import { readStart } from './run-record.ts';
import { toTartError } from './tart-errors.ts';
import { untilFound } from './until-found.ts';
import type { StartVm, VmExit, VmRun, VmShare } from './vm-port.ts';
import { recordDirOf, type VmWork } from './vm-work.ts';
import { watchExit } from './watch-run.ts';

/** A run that lasted so long was started well. */
const SANITY_MS = 5_000;
/** How long the shell in between may take to write down the pid. */
const PID_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 500;
const LOG_LINES = 20;
const LOG_BYTES = 16 * 1024;

/** Puts the process on its way. Nobody may do the same for this VM meanwhile. */
export const launch = async (work: VmWork, request: StartVm): Promise<VmRun> => {
  const { vm, logPath, graphics, env = {} } = request;
  const folder = recordDirOf(work, vm);
  const argv = runArguments(request);
  // Of an earlier run that nobody removed.
  if ((await work.files.look(folder)) !== undefined) await work.files.remove(folder);
  await work.files.makeDirectory(folder, { mode: 0o700 });
  await work.commands.startRecorded({
    argv: [work.cli.binary, ...argv],
    env: { ...env, ...(graphics === 'vnc' ? { CI: '1' } : {}) },
    ...{ recordDir: folder, logPath },
  });
  const start = await within(work, PID_WITHIN_MS, (signal) =>
    untilFound({ ...work, folder, look: () => readStart(work.files, folder), lookEveryMs: LOOK_EVERY_MS, signal }),
  );
  if (start !== undefined) return { vm, ...start, exited: watchExit(work, { vm, pid: start.pid }) };
  throw new FleetError('unavailable', {
    code: 'VmNotStarted',
    message: `tart run: ${vm} has no process after ${PID_WITHIN_MS} ms`,
  });
};

type RunWords = Pick<StartVm, 'vm' | 'graphics' | 'shares' | 'network' | 'nested' | 'suspendable'>;

export const runArguments = ({ vm, graphics, shares, network, nested, suspendable }: RunWords): readonly string[] => [
  ...['run', vm],
  ...(graphics === 'vnc' ? ['--vnc-experimental', '--graphics'] : ['--no-graphics']),
  ...['--root-disk-opts', 'caching=cached'],
  ...(network === 'softnet' ? ['--net-softnet'] : []),
  ...(nested === true ? ['--nested'] : []),
  ...(suspendable === true ? ['--suspendable'] : []),
  ...shares.flatMap((share) => ['--dir', renderShare(share)]),
];

/** Tart would take a colon in the path for the end of it, and anything but `:ro` for a part of it. */
const renderShare = ({ name, path, readOnly }: VmShare): string => {
  if (!/[:,]/.test(`${name}${path}`)) return `${name}:${path}${readOnly ? ':ro' : ''}`;
  throw new FleetError('invalid', {
    code: 'BadShare',
    message: `the folder ${path} cannot be shared as ${name}: Tart takes no colon or comma in it`,
  });
};

/**
 * Settles when the VM is known to run: Tart opens its control socket once the VM has started, and what has neither opened
 * one nor ended after the sanity window runs as well. Throws when the run failed so early.
 */
export const untilSane = async (work: VmWork, run: VmRun, log: RunLog): Promise<void> => {
  const folder = `${work.tartHome}/vms/${run.vm}`;
  const look = async (): Promise<true | undefined> => {
    const socket = await work.files.look(`${folder}/control.sock`);
    // One from an earlier run may lie there.
    return socket !== undefined && socket.modifiedAtMs >= run.startedAtMs ? true : undefined;
  };
  const exit = await within(work, SANITY_MS, (signal) =>
    Promise.race([
      run.exited,
      untilFound({ ...work, folder, look, lookEveryMs: LOOK_EVERY_MS, signal }).then(() => undefined),
    ]),
  );
  if (exit !== undefined && exit.code !== 0) throw await exitedImmediately(work, exit, { ...log, vm: run.vm });
};

/** Runs a search that ends after so long, or with the agent's life. */
const within = async <T>(work: VmWork, limitMs: number, search: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const limit = linkedController(work.life);
  const cancelTimer = work.clock.schedule(limitMs, () => limit.abort());
  try {
    return await search(limit.signal);
  } finally {
    cancelTimer();
    limit.abort();
    limit.release();
  }
};

/** Where a run prints, and from which byte on: earlier runs of the VM printed there too. */
export interface RunLog {
  readonly logPath: string;
  readonly fromByte: number;
}

/** As the log tells it, with the meaning that Tart's own words have. */
const exitedImmediately = async (
  { files }: VmWork,
  { code, signal }: VmExit,
  { vm, logPath, fromByte }: RunLog & Pick<VmRun, 'vm'>,
): Promise<FleetError> => {
  const printedBytes = ((await files.look(logPath))?.sizeBytes ?? 0) - fromByte;
  const bytesMax = Math.min(printedBytes, LOG_BYTES);
  const tail = bytesMax > 0 ? await files.readTail(logPath, { bytesMax }) : undefined;
  const lines = (tail?.text ?? '').trimEnd().split('\n').slice(-LOG_LINES).join('\n');
  const how = signal ?? (code === undefined ? 'an unknown end' : `code ${code}`);
  const meaning = toTartError('tart run', { stdout: lines, stderr: '', ...(code === undefined ? {} : { code }) });
  const isPlain = meaning.code === 'TartFailed';
  return new FleetError(meaning.kind, {
    code: isPlain ? 'VmExitedImmediately' : meaning.code,
    message: `tart run: ${vm} exited immediately with ${how} (log ${logPath}): ${lines}`,
    ...(meaning.hint === undefined ? {} : { hint: meaning.hint }),
    details: { exitCode: code, signal, logPath },
  });
};
