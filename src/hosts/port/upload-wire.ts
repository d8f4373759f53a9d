/**
 * An upload on the wire: a script that takes files on standard input, as a tar archive, checks each and moves it into its place,
 * which is named after its checksum. Both ends are here: the SSH adapter renders, a simulated Mac without bash parses.
 */
import { bashArgv, parseBashArgv } from './remote-command.ts';

export interface UploadPlace {
  /** On the Mac: absolute and there; or in the user's home, where it is made. */
  readonly folder: string;
  /** Of each file, in hex: its name in the archive and in the folder. */
  readonly sums: readonly string[];
}

const NAME = 'macfleet-upload';
export const WRONG_CHECKSUM_EXIT = 65;

/**
 * The traps are there before the files are, and their folder's name is known before it exists: an end at any point removes it.
 * What a power failure left is removed by the next upload of the same.
 */
const UPLOAD_SCRIPT = `set -e -o pipefail -o noclobber
export LC_ALL=C
umask 077
folder=$1
shift
case $folder in
  /*) ;;
  *)
    folder=$HOME/$folder
    mkdir -p "$folder"
    ;;
esac
prefix=$folder/.$1.macfleet-upload
temporary=$prefix.$$
trap 'rm -rf "$temporary"' EXIT
trap 'exit 143' TERM
rm -rf "$prefix".*
mkdir "$temporary"
tar -x -o -b 512 -f - -C "$temporary"
for sha256 in "$@"; do
  file=$temporary/$sha256
  if command -v sha256sum >/dev/null; then
    found=$(sha256sum <"$file")
  else
    found=$(shasum -a 256 <"$file")
  fi
  if [ "\${found%% *}" != "$sha256" ]; then
    echo "$sha256 \${found%% *}" >&2
    exit ${WRONG_CHECKSUM_EXIT}
  fi
  chmod 600 "$file"
  mv -f "$file" "$folder/$sha256"
done`;

/** For shellcheck. */
export const UPLOAD_SCRIPTS: Readonly<Record<string, string>> = { [NAME]: UPLOAD_SCRIPT };

export const renderUploadArgv = ({ folder, sums }: UploadPlace): readonly string[] =>
  bashArgv(UPLOAD_SCRIPT, [NAME, folder, ...sums]);

/** Undefined for words that are no upload. */
export const parseUploadArgv = (argv: readonly string[]): UploadPlace | undefined => {
  const [name, folder, ...sums] = parseBashArgv(argv)?.words ?? [];
  return name !== NAME || folder === undefined || sums.length === 0 ? undefined : { folder, sums };
};
