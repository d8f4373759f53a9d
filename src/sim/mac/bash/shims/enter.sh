#!/host/usr/bin/bash
# The only door into a simulated Mac: goes on only where the marker of this very sandbox lies, and so never outside it.
marker=''
[[ ! -r /System/Volumes/macfleet/marker ]] || read -r marker </System/Volumes/macfleet/marker
if [[ -z $1 || $marker != "$1" ]]; then
  echo 'macfleet: this is not the sandbox of a simulated Mac; nothing was run' >&2
  exit 126
fi
shift
cd "$HOME" || exit 126
exec /host/usr/bin/setsid "$@"
