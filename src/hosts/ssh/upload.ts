/**
 * A file onto a Mac, all of it or nothing: into a temporary file beside its place, checked there, then moved. The move gives
 * it an inode of its own, which macOS wants to see when a signed program is replaced. Over a plain command, not SFTP: the
 * checksum and the move then need no further round trip, and less code of the peer takes part.
 */
import { FleetError } from '../../base/errors.ts';
import { bashArgv } from '../port/remote-command.ts';
import { type CommandResult, type CommandRunner, runCommand } from './run-command.ts';

export interface Upload {
  /** Absolute, on the Mac; its folder exists. */
  readonly path: string;
  readonly content: AsyncIterable<Uint8Array>;
  /** Of the whole content, in hex. */
  readonly sha256: string;
  /** As chmod takes it: `755`. */
  readonly mode: string;
  readonly timeoutMs: number;
}

const WRONG_CHECKSUM_EXIT = 65;

/**
 * The traps are there before the file is, and its name is known before it exists: an end at any point removes it. What a
 * power failure left is removed by the next upload to the same place.
 */
export const UPLOAD_SCRIPT = `set -e -o pipefail -o noclobber
export LC_ALL=C
umask 077
path=$1 sha256=$2 mode=$3
prefix=\${path%/*}/.\${path##*/}.macfleet-upload
temporary=$prefix.$$
trap 'rm -f "$temporary"' EXIT
trap 'exit 143' TERM
rm -f "$prefix".*
cat >"$temporary"
if command -v sha256sum >/dev/null; then
  found=$(sha256sum <"$temporary")
else
  found=$(shasum -a 256 <"$temporary")
fi
if [ "\${found%% *}" != "$sha256" ]; then
  echo "checksum is \${found%% *}" >&2
  exit ${WRONG_CHECKSUM_EXIT}
fi
chmod "$mode" "$temporary"
mv -f "$temporary" "$path"`;

/** Resolves when the file is in its place. Rejects as runCommand does, or with `unavailable`; the old file is there then. */
export const upload = async (runner: CommandRunner, file: Upload, signal: AbortSignal): Promise<void> => {
  const { path, sha256, mode, content, timeoutMs } = file;
  const argv = bashArgv(UPLOAD_SCRIPT, ['macfleet-upload', path, sha256, mode]);
  const result = await runCommand(runner, { argv, stdin: content, timeoutMs, doing: `uploading ${path}` }, signal);
  if (result.exitCode !== 0) throw uploadFailed(file, result);
};

interface Failure {
  readonly sign: RegExp;
  readonly code: string;
  readonly hint: string;
}

const FAILURES: readonly Failure[] = [
  { sign: /No space left on device/, code: 'HostDiskFull', hint: 'Free space on the Mac, or release it.' },
  {
    sign: /Read-only file system/,
    code: 'HostReadOnly',
    hint: 'The disk may be broken: reboot the Mac, or release it.',
  },
  { sign: /Permission denied/, code: 'HostPermissionDenied', hint: 'The folder belongs to somebody else.' },
];

const uploadFailed = ({ path, sha256 }: Upload, { exitCode, stderr }: CommandResult): FleetError => {
  const said = stderr.render({}).trim();
  const line = said.split('\n').at(-1) ?? '';
  if (exitCode === WRONG_CHECKSUM_EXIT) {
    return new FleetError('unavailable', {
      code: 'UploadDamaged',
      message: `${path} did not arrive as it was sent, and was thrown away: ${line}, not ${sha256}`,
      hint: 'It is tried again. If it stays so, the file differs from the checksum that was given for it.',
      details: { path, sha256 },
    });
  }
  const known = FAILURES.find(({ sign }) => sign.test(said));
  return new FleetError('unavailable', {
    code: known?.code ?? 'UploadFailed',
    message: `${path} could not be written on the Mac (exit ${exitCode}): ${line === '' ? 'it said nothing' : line}`,
    hint: known?.hint ?? 'It is tried again. If it keeps failing, the line above says why.',
    details: { path, exitCode },
  });
};
