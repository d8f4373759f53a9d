/**
 * Files onto a Mac, each of them whole or not at all: into a temporary folder, checked there, then moved. The move gives each an
 * inode of its own, which macOS wants to see when a signed program is replaced. All over one plain command, not SFTP: the checksums and
 * the moves then need no further round trip, and less code of the peer takes part.
 */
import { FleetError } from '../../base/errors.ts';
import { explainFailure } from '../port/host-failures.ts';
import { uploadDamaged } from '../port/session-errors.ts';
import { packTar } from '../port/tar.ts';
import { renderUploadArgv, WRONG_CHECKSUM_EXIT } from '../port/upload-wire.ts';
import type { Artefact } from '../port.ts';
import { type CommandResult, type CommandRunner, runCommand } from './run-command.ts';

export interface Upload {
  /** On the Mac: absolute and there; or in the user's home, where it is made. */
  readonly folder: string;
  readonly files: readonly Artefact[];
  readonly timeoutMs: number;
}

/** Resolves when all files are in their places. Rejects as runCommand does, or with `unavailable`. */
export const upload = async (runner: CommandRunner, given: Upload, signal: AbortSignal): Promise<void> => {
  const { folder, files, timeoutMs } = given;
  if (files.length === 0) return;
  const argv = renderUploadArgv({ folder, sums: files.map(({ sha256 }) => sha256) });
  const stdin = packTar(files.map(({ sha256, sizeBytes, open }) => ({ path: sha256, mode: 0o600, sizeBytes, open })));
  const result = await runCommand(runner, { argv, stdin, timeoutMs, doing: `uploading ${namesOf(given)}` }, signal);
  if (result.exitCode !== 0) throw uploadFailed(given, result);
};

const namesOf = ({ files }: Upload): string => files.map(({ name }) => name).join(', ');

const uploadFailed = (given: Upload, { exitCode, stderr }: CommandResult): FleetError => {
  const said = stderr.render({}).trim();
  const line = said.split('\n').at(-1) ?? '';
  if (exitCode === WRONG_CHECKSUM_EXIT) {
    const [wanted = '', found = ''] = line.split(' ');
    return uploadDamaged(given.files.find(({ sha256 }) => sha256 === wanted)?.name ?? wanted, found, wanted);
  }
  const known = explainFailure(said);
  return new FleetError(known?.kind ?? 'unavailable', {
    code: known?.code ?? 'UploadFailed',
    message: `${namesOf(given)} could not be written on the Mac (exit ${exitCode}): ${line === '' ? 'it said nothing' : line}`,
    hint: known?.hint ?? 'It is tried again. If it keeps failing, the line above says why.',
    details: { folder: given.folder, exitCode },
  });
};
