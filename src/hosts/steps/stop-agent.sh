# shellcheck shell=bash
# title: The agent's end
# what: Before a Mac is given back and wiped: ends the agent and takes its job away, so that no restart brings it back.
# why: A Mac that is being given up must not go on as a Node.
# files: /Library/LaunchDaemons/dev.tuist.tart-kubelet.plist
# undo: prepare the Mac again

JOB=dev.tuist.tart-kubelet

check() {
  [ ! -e /Library/LaunchDaemons/$JOB.plist ] && ! job_is_loaded $JOB
}

apply() {
  local left=20
  root rm -f /Library/LaunchDaemons/$JOB.plist || fail "cannot remove the job of the agent"
  root launchctl bootout system/$JOB 2>/dev/null
  while job_is_loaded $JOB; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || fail "launchd does not let go of $JOB"
    sleep 1
  done
}
