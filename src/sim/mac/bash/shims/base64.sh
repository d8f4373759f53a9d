#!/host/usr/bin/bash
# base64 with BSD's -D and -i.
words=()
while (($# > 0)); do
  case $1 in
    -D | --decode | -d) words+=(-d) ;;
    -i | --input) words+=("$2") && shift ;;
    -w* | --wrap*) echo "base64: invalid option -- w" >&2 && exit 64 ;;
    *) words+=("$1") ;;
  esac
  shift
done
exec /host/usr/bin/base64 -w 0 "${words[@]}"
