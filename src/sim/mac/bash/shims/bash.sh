#!/host/usr/bin/bash
# /bin/bash and /bin/sh of a simulated Mac. macOS' bash 3.2 lacks patsub_replacement, which changes what & means in
# ${text//pattern/replacement}; everything else that 3.2 lacks is found by a linter (docs/reality.md).
name=${0##*/}
words=()
# Long options come before all others.
while [[ ${1-} == --?* ]]; do
  words+=("$1")
  shift
done
if shopt -q patsub_replacement 2>/dev/null; then words+=(+O patsub_replacement); fi
exec -a "$name" /host/usr/bin/bash "${words[@]}" "$@"
