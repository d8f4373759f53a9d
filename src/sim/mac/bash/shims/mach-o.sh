#!/host/usr/bin/bash
# What starts a program that was made for a Mac. Such a program is a file whose first line names this loader, what it
# stands for and its version; the model says (as AMFI does) whether it may start, and what it answers.
LC_ALL=C
kind=${1%% *}
version=${1#* }
path=$2
shift 2
/usr/libexec/macfleet/amfi "$path" || kill -KILL $$
# Guests of this Mac's virtual machines are addresses of the loopback that no other Mac has; tart and its agent are told.
read -r _ token </System/Volumes/macfleet/door
number=$((16#${token:0:4}))
export SIM_TART_LOOPBACK="127.$((64 + number / 256 % 64)).$((number % 256))"
export TART_KUBELET_VM_NETWORK="192.168.64=$SIM_TART_LOOPBACK"
# Of Tart the model knows what the host decides: whether a virtual machine may start, and whether there are addresses left.
host_allows() {
  case $1 in
    run) /usr/libexec/macfleet/tart "$version" "$@" ;;
    ip) /usr/libexec/macfleet/tart "$version" "$@" >/dev/null ;;
  esac
}
case $kind:$1 in
  node:*) exec /host/node "$@" ;;
  tart:--version) exec /usr/libexec/macfleet/tart "$version" "$@" ;;
  tart:*)
    host_allows "$@" || exit
    export NODE_COMPILE_CACHE=/tmp/sim-tart
    exec /host/node /host/macfleet/src/sim/tart/main.ts "$path" "$@"
    ;;
  *) exec "/usr/libexec/macfleet/$kind" "$version" "$@" ;;
esac
