#!/host/usr/bin/bash
# shasum, without the time that perl takes to start.
bits=1
words=()
while (($# > 0)); do
  case $1 in
    -a | --algorithm) bits=$2 && shift ;;
    -a*) bits=${1#-a} ;;
    *) words+=("$1") ;;
  esac
  shift
done
exec "/host/usr/bin/sha${bits}sum" "${words[@]}"
