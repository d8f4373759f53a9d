# shellcheck shell=bash
# title: The agent
# what: A launchd job that runs the agent as the login user. A job whose plist did not change is only started again; one
#   that changed is loaded anew. It counts as started when one new process stays for five seconds. Uploaded files that
#   nothing uses any more are removed.
# why: macOS counts how often a job is registered and one day ignores its wish to be kept alive (004-3). A process that
#   dies at once, over and over, also has a process id whenever one looks. Virtual machines go on meanwhile.
# files: /Library/LaunchDaemons/dev.tuist.tart-kubelet.plist, /var/log/tart-kubelet.log, /var/log/tart-vms/,
#   /var/lib/tart-userdata/, /var/lib/tart-vnc-control/, ~/.macfleet/agent-started
# undo: sudo launchctl bootout system/dev.tuist.tart-kubelet; remove the files
: "${in_nodeName:?}" "${in_providerId:=}" "${in_fleet:=}" "${in_hostCpu:=0}" "${in_hostMemoryMb:=0}" "${in_maxPods:=0}"
: "${in_nodeLabels:=}" "${in_disableVmGc:=no}" "${in_vncRelayHost:=}" "${in_vncRelayPort:=}" "${macfleet_home:?}" "${NEWLINE:?}"

JOB=dev.tuist.tart-kubelet
PLIST=/Library/LaunchDaemons/$JOB.plist
STARTED=$macfleet_home/agent-started
LIB=/usr/local/lib/tart-kubelet
LOG=/var/log/tart-kubelet.log
FOLDERS='/var/log/tart-vms /var/lib/tart-userdata /var/lib/tart-vnc-control /etc/tart-kubelet'

check() {
  local pid started
  assert_numbers
  look_as_root
  plist | file_is $PLIST 644 root:wheel || { say 'another job, or none' && return 1; }
  owns_folders || { say 'a folder of the agent is not its own' && return 1; }
  pid=$(job_pid $JOB)
  [ -n "$pid" ] || { say "$JOB does not run" && return 1; }
  started=$(cat "$STARTED" 2>/dev/null)
  [ "${started#* }" = "$(on_disk)" ] || { say "$JOB runs on something older" && return 1; }
  # Started again since it was last seen to stay: by launchd, or in a loop.
  [ "${started%% *}" = "$pid" ] || stays "$pid" || { say "$JOB does not stay" && return 1; }
}

apply() {
  local old pid
  assert_numbers
  is_done && return 0
  own_folders || fail "cannot write the agent's folders"
  rm -f "$STARTED"
  old=$(job_pid $JOB)
  if [ -n "$old" ] && plist | file_is $PLIST 644 root:wheel; then
    start_again
  else
    plist | put_daemon $JOB
  fi
  if ! pid=$(settled "$old"); then
    start_again
    pid=$(settled "$old") || fail "$(why_not)"
    # launchd, asked to start it at once and to keep it alive, had done neither.
    [ "$(job_field $JOB runs)" != 1 ] || say "macOS holds $JOB back: it is not kept alive until the Mac is restarted"
  fi
  say "$pid $(on_disk)" >"$STARTED" || fail "cannot write $STARTED"
  drop_artefacts
}

start_again() { root launchctl kickstart -k system/$JOB || say "launchd did not start $JOB again"; }

# settled <old pid>: prints the new one, which came within 20 s and stayed.
settled() {
  local pid left=20
  until pid=$(job_pid $JOB) && [ -n "$pid" ] && [ "$pid" != "$1" ]; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || return 1
    sleep 1
  done
  stays "$pid" && say "$pid"
}

stays() {
  sleep 5
  [ "$(job_pid $JOB)" = "$1" ]
}

why_not() {
  local code reason
  code=$(job_field $JOB 'last exit code')
  reason=$(job_field $JOB 'last exit reason')
  case $reason in
    *CODESIGNING*) say "macOS kills $JOB for its signature ($reason)" && return ;;
  esac
  case $code in
    '' | '(never exited)') say "launchd does not start $JOB: macOS holds back jobs that were registered too often; restart the Mac" ;;
    *) say "$JOB dies again and again, the last time with $code: $(tail -n 1 $LOG 2>/dev/null)" ;;
  esac
}

# What a new process would run from.
on_disk() {
  local sum
  sum=$(root /bin/sh -c 'shasum -a 256 "$@"' sh $PLIST /etc/tart-kubelet/kubeconfig $LIB/tart-kubelet.mjs $LIB/node.sha256 |
    shasum -a 256)
  say "${sum%% *}"
}

# shellcheck disable=SC2086
own_folders() { put_folders $FOLDERS && root touch $LOG && root chown "$(me):staff" $FOLDERS $LOG; }

owns_folders() {
  local owner
  # shellcheck disable=SC2086
  for owner in $(stat -f '%Su:%Sg' $FOLDERS $LOG 2>/dev/null || say none); do
    [ "$owner" = "$(me):staff" ] || return 1
  done
}

# Kept: what is installed, to be installed again from it.
drop_artefacts() {
  local path used
  used=" $(cat $LIB/node.sha256 /usr/local/lib/tart.app.sha256 2>/dev/null) $(shasum -a 256 $LIB/tart-kubelet.mjs) "
  for path in "$macfleet_home"/artefacts/*; do
    case ${used//$NEWLINE/ } in
      *" ${path##*/} "*) ;;
      *) rm -f "$path" ;;
    esac
  done
}

labels() {
  local given=$in_nodeLabels
  [ -z "$in_fleet" ] || given="$given,tuist.dev/fleet=$in_fleet"
  printf '%s' "$given" | tr , '\n' | grep . | sort -u | tr '\n' , | sed 's/,$//'
}

arguments() {
  local labels
  labels=$(labels)
  set -- /usr/local/bin/tart-kubelet "--node-name=$in_nodeName" --kubeconfig=/etc/tart-kubelet/kubeconfig
  set -- "$@" "--host-cpu=$(or_else "$in_hostCpu" 8)" "--host-memory-mb=$(or_else "$in_hostMemoryMb" 16384)"
  set -- "$@" "--max-pods=$(or_else "$in_maxPods" 3)"
  [ -z "$labels" ] || set -- "$@" "--node-labels=$labels"
  [ -z "$in_providerId" ] || set -- "$@" "--provider-id=$in_providerId"
  [ "$in_disableVmGc" != yes ] || set -- "$@" --disable-vm-gc
  [ -z "$in_vncRelayHost" ] || set -- "$@" "--vnc-relay-host=$in_vncRelayHost"
  [ -z "$in_vncRelayPort" ] || set -- "$@" "--vnc-relay-port=$in_vncRelayPort"
  plist_strings ProgramArguments "$@"
}

assert_numbers() {
  case $in_hostCpu$in_hostMemoryMb$in_maxPods in
    *[!0-9]*) fail 'the numbers of processors, megabytes and Pods are no numbers' ;;
  esac
}

# Zero means: as usual.
or_else() { if [ "$1" -gt 0 ]; then say "$1"; else say "$2"; fi; }

# The login user's, who owns the graphical session.
plist() {
  plist_head $JOB
  plist_string UserName "$(me)"
  arguments
  plist_true RunAtLoad
  plist_true KeepAlive
  plist_integer ThrottleInterval 10
  plist_string StandardOutPath $LOG
  plist_string StandardErrorPath $LOG
  printf '  <key>EnvironmentVariables</key>\n  <dict>\n'
  plist_string HOME "$HOME"
  plist_string PATH /usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin:/usr/sbin:/sbin
  printf '  </dict>\n'
  plist_end
}
