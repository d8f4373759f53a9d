/**
 * A file onto a Mac, all of it or nothing: into a temporary file beside its place, checked there, then moved. The move gives
 * it an inode of its own, which macOS wants to see when a signed program is replaced. Over a plain command, not SFTP: the
 * checksum and the move then need no further round trip, and less code of the peer takes part.
 */
import { FleetError } from '../../base/errors.ts';
import { explainFailure } from '../port/host-failures.ts';
import { uploadDamaged } from '../port/session-errors.ts';
import { renderUploadArgv, type UploadPlace, WRONG_CHECKSUM_EXIT } from '../port/upload-wire.ts';
import { type CommandResult, type CommandRunner, runCommand } from './run-command.ts';

export interface Upload extends UploadPlace {
  readonly content: AsyncIterable<Uint8Array>;
  readonly timeoutMs: number;
}

/** Resolves when the file is in its place. Rejects as runCommand does, or with `unavailable`; the old file is there then. */
export const upload = async (runner: CommandRunner, file: Upload, signal: AbortSignal): Promise<void> => {
  const { path, content, timeoutMs } = file;
  const argv = renderUploadArgv(file);
  const result = await runCommand(runner, { argv, stdin: content, timeoutMs, doing: `uploading ${path}` }, signal);
  if (result.exitCode !== 0) throw uploadFailed(file, result);
};

const uploadFailed = ({ path, sha256 }: Upload, { exitCode, stderr }: CommandResult): FleetError => {
  const said = stderr.render({}).trim();
  const line = said.split('\n').at(-1) ?? '';
  if (exitCode === WRONG_CHECKSUM_EXIT) {
    return uploadDamaged(path, line.replace(/^checksum is /, ''), sha256);
  }
  const known = explainFailure(said);
  return new FleetError(known?.kind ?? 'unavailable', {
    code: known?.code ?? 'UploadFailed',
    message: `${path} could not be written on the Mac (exit ${exitCode}): ${line === '' ? 'it said nothing' : line}`,
    hint: known?.hint ?? 'It is tried again. If it keeps failing, the line above says why.',
    details: { path, exitCode },
  });
};
