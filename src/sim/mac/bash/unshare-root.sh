#!/bin/bash
# Makes the file system of a simulated Mac inside new namespaces, and becomes its first process. Run by unshare, as root, where
# bubblewrap is not installed. Words: the root, then three for each mount (read, write or full; from; at).
set -eu
root=$1
shift
mount --make-rprivate /
mount --bind "$root" "$root"
while (($# > 0)); do
  if [[ $1 == full ]]; then
    mkdir -p "$root$3"
    mount -t tmpfs -o "size=$2,mode=0777,nosuid,nodev" full "$root$3"
  else
    mount --bind "$2" "$root$3"
    [[ $1 == write ]] || mount -o remount,bind,ro,nosuid,nodev "$root$3"
  fi
  shift 3
done
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=0755,nosuid dev "$root/dev"
for name in null zero full random urandom tty; do
  : >"$root/dev/$name"
  mount --bind "/dev/$name" "$root/dev/$name"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
mount -o remount,bind,ro,nosuid "$root"
cd "$root"
# The old root comes to lie over the new one, and is taken away.
pivot_root . .
PATH=/host/usr/bin:/host/usr/sbin:/host/bin:/host/sbin
umount -l .
echo up
exec /host/usr/bin/sleep infinity
