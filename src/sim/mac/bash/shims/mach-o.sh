#!/host/usr/bin/bash
# What starts a program that was made for a Mac. Such a program is a file whose first line names this loader, what it
# stands for and its version; the model says (as AMFI does) whether it may start, and what it answers.
LC_ALL=C
kind=${1%% *}
version=${1#* }
path=$2
shift 2
/usr/libexec/macfleet/amfi "$path" || kill -KILL $$
case $kind in
  node) exec /host/node "$@" ;;
  *) exec "/usr/libexec/macfleet/$kind" "$version" "$@" ;;
esac
