#!/host/usr/bin/bash
# date on the clock of the simulated Mac, with BSD's -r.
now=$(/usr/libexec/macfleet/now) || exit 1
words=()
while (($# > 0)); do
  case $1 in
    -r) now=$2 && shift ;;
    -d | --date*) echo "date: illegal option -- d" >&2 && exit 1 ;;
    *) words+=("$1") ;;
  esac
  shift
done
exec /host/usr/bin/date -d "@$now" "${words[@]}"
