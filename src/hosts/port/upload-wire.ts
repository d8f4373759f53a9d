/**
 * An upload on the wire: a script that takes the file on standard input, checks it and moves it into its place. Both ends
 * are here: the SSH adapter renders, a simulated Mac without bash parses.
 */
import { bashArgv, parseBashArgv } from './remote-command.ts';

export interface UploadPlace {
  /** On the Mac: absolute, in a folder that exists; or in the user's home, where folders are made. */
  readonly path: string;
  /** Of the whole content, in hex. */
  readonly sha256: string;
  /** As chmod takes it: `755`. */
  readonly mode: string;
}

const NAME = 'macfleet-upload';
export const WRONG_CHECKSUM_EXIT = 65;

/**
 * The traps are there before the file is, and its name is known before it exists: an end at any point removes it. What a
 * power failure left is removed by the next upload to the same place.
 */
const UPLOAD_SCRIPT = `set -e -o pipefail -o noclobber
export LC_ALL=C
umask 077
path=$1 sha256=$2 mode=$3
case $path in
  /*) ;;
  *)
    path=$HOME/$path
    mkdir -p "\${path%/*}"
    ;;
esac
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

/** For shellcheck. */
export const UPLOAD_SCRIPTS: Readonly<Record<string, string>> = { [NAME]: UPLOAD_SCRIPT };

export const renderUploadArgv = ({ path, sha256, mode }: UploadPlace): readonly string[] =>
  bashArgv(UPLOAD_SCRIPT, [NAME, path, sha256, mode]);

/** Undefined for words that are no upload. */
export const parseUploadArgv = (argv: readonly string[]): UploadPlace | undefined => {
  const [name, path, sha256, mode] = parseBashArgv(argv)?.words ?? [];
  if (name !== NAME || path === undefined || sha256 === undefined || mode === undefined) return undefined;
  return { path, sha256, mode };
};
