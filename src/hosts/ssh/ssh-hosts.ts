/** The Hosts port over SSH: a batch is a bash program with its calls as words and its secrets on standard input. */
import { FleetError } from '../../base/errors.ts';
import { createAnswerReader } from '../port/batch-answer.ts';
import { renderBatchArgv, renderSecrets } from '../port/batch-wire.ts';
import { explainFailure } from '../port/host-failures.ts';
import { hostKeyNotPinned } from '../port/session-errors.ts';
import type { Batch, BatchAnswer, HostSession, Hosts, HostTarget } from '../port.ts';
import { composeProgram, type StepFiles } from '../program/compose.ts';
import { packProgram } from '../program/pack.ts';
import type { CommandResult } from './run-command.ts';
import { openSshConnection, type SshConnection, type SshOptions } from './ssh-connection.ts';

export interface SshHostsOptions extends SshOptions {
  readonly files: StepFiles;
}

export const createSshHosts = (options: SshHostsOptions): Hosts => ({
  open: async (target, signal) => sessionOn(await openSshConnection(target, options, signal), target, options.files),
});

/** Even an upload at a tenth of what we measured has ended by then. */
const UPLOAD_TIMEOUT_MS = 600_000;

const sessionOn = (connection: SshConnection, { pinnedHostKey }: HostTarget, files: StepFiles): HostSession => {
  const assertPinned = (): void => {
    if (pinnedHostKey === undefined) throw hostKeyNotPinned();
  };
  return {
    hostKey: connection.hostKey,
    run: async (batch, signal) => {
      assertPinned();
      return runBatch({ connection, files }, batch, signal);
    },
    upload: async (files, signal) => {
      assertPinned();
      await connection.upload({ folder: '.macfleet/artefacts', files, timeoutMs: UPLOAD_TIMEOUT_MS }, signal);
    },
    close: connection.close,
  };
};

interface BatchRunner {
  readonly connection: SshConnection;
  readonly files: StepFiles;
}

const runBatch = async (
  { connection, files }: BatchRunner,
  batch: Batch,
  signal: AbortSignal,
): Promise<BatchAnswer> => {
  const reader = createAnswerReader(batch);
  const ids = batch.calls.map(({ step }) => step);
  const result = await connection.run(
    {
      argv: renderBatchArgv(packProgram(composeProgram(files, ids)), batch),
      stdin: renderSecrets(batch.calls),
      onStdout: reader.push,
      ...{ timeoutMs: batch.timeoutMs, doing: `step ${ids.join(', ')}` },
    },
    signal,
  );
  const { answer, refusal } = reader.finish();
  if (refusal !== undefined) throw refusal;
  if (result.exitCode !== 0) throw batchFailed(batch, result);
  return answer;
};

/** The driver itself could not go on; what it said is on standard error. */
const batchFailed = ({ calls }: Batch, { exitCode, stderr }: CommandResult): FleetError => {
  const said = stderr.render(Object.assign({}, ...calls.map(({ secrets }) => secrets))).trim();
  const line = said.split('\n').at(-1) ?? '';
  const known = explainFailure(said);
  return new FleetError(known?.kind ?? 'unavailable', {
    code: known?.code ?? 'BatchFailed',
    message: `the Mac could not run the steps (exit ${exitCode}): ${line === '' ? 'it said nothing' : line}`,
    hint: known?.hint ?? 'It is tried again. If it keeps failing, the line above says why.',
    details: { exitCode },
  });
};
