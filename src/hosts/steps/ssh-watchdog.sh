# shellcheck shell=bash
# title: A watchdog for SSH
# what: A job that every minute tries port 22 from the Mac itself, and makes launchd open it anew when nobody answers.
# why: Scanners fill the queue of half-open connections, after which nobody can log in any more, by any way (I-27).
# files: /usr/local/bin/tuist-ssh-reachability, /Library/LaunchDaemons/dev.tuist.ssh-reachability.plist,
#   /var/log/tuist-ssh-reachability.log
# undo: sudo launchctl bootout system/dev.tuist.ssh-reachability; remove the files

WATCHDOG=/usr/local/bin/tuist-ssh-reachability
JOB=dev.tuist.ssh-reachability

watchdog() {
  cat <<'END'
#!/bin/sh
# Opens port 22 anew when nobody answers there any more.
PATH=/usr/bin:/bin:/usr/sbin:/sbin
nc -z -G 3 127.0.0.1 22 >/dev/null 2>&1 && exit 0
echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) port 22 does not answer: opened anew" >&2
launchctl bootout system/com.openssh.sshd
launchctl bootstrap system /System/Library/LaunchDaemons/ssh.plist
END
}

plist() {
  plist_head $JOB
  plist_strings ProgramArguments $WATCHDOG
  plist_true RunAtLoad
  plist_integer StartInterval 60
  plist_string StandardErrorPath /var/log/tuist-ssh-reachability.log
  plist_end
}

check() {
  look_as_root
  watchdog | file_is $WATCHDOG 755 root:wheel || return 1
  plist | daemon_is $JOB
}

apply() {
  put_folders /usr/local/bin
  watchdog | put_file $WATCHDOG 755 root:wheel || fail "cannot write $WATCHDOG"
  plist | daemon_is $JOB || plist | put_daemon $JOB
}
