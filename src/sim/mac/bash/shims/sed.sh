#!/host/usr/bin/bash
# sed with BSD's -i, which always takes a suffix: its own word, or the rest of the option.
words=()
while (($# > 0)); do
  if [[ $1 == -i ]]; then
    words+=("-i${2-}")
    shift
  else
    words+=("$1")
  fi
  shift
done
exec /host/usr/bin/sed "${words[@]}"
