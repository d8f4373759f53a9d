# shellcheck shell=bash
# The end of every program that runs on a Mac: it reads the words and secrets of one batch, asks the fence, and runs the
# steps, whose functions step_<id> stand before it (see src/hosts/program/compose.ts and src/hosts/port/batch-wire.ts).
#
# A step file defines check, apply and verify (verify may be left out: check then), and is given, as plain shell variables:
#   in_<name>, secret_<name>   its own values; an input or a secret that was not given is an unset variable
#   macfleet_home              ~/.macfleet: claim, epoch/<number>, steps/<id>, artefacts/<sha256>, lock, running/<epoch>.<pid>
#   macfleet_epoch             the epoch of the batch; by-hand or forced when a person works here, without a controller
# check exits with 0 when all is as wanted, with 1 when not, and with anything else when it could not tell.
# refuse <Code> <why>          ends the whole batch; only first-look does that, as it runs alone, before all others
#
# Exits: 0 all calls ran, whatever came of them; 97 refused; 64 words that are no batch; 66 secrets cut short.

set -u -o pipefail
export LC_ALL=C PATH=/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin
umask 077
macfleet_home=$HOME/.macfleet
macfleet_epoch=${1-}
macfleet_calls=()
macfleet_values=()
macfleet_digests=()
macfleet_secrets=()
macfleet_lock=''
macfleet_unlock=''

refuse() {
  printf 'macfleet-refused %s\n' "$*"
  exit 97
}

driver_read_words() {
  local word id
  for word in "$@"; do
    case $word in
      next) macfleet_calls+=(next) && continue ;;
      lock=*) macfleet_lock=${word#lock=} && continue ;;
      unlock=*) macfleet_lock=${word#unlock=} && macfleet_unlock=yes && continue ;;
    esac
    id=${word%%[/.@]*}
    case ${word#"$id"} in
      /check | /converge | /verify) macfleet_calls+=("$word") ;;
      .*=*) macfleet_values+=("$word") ;;
      @*) macfleet_digests+=("$word") ;;
      *) printf 'macfleet-steps: no word of a batch: %s\n' "${word%%=*}" >&2 && exit 64 ;;
    esac
  done
}

driver_read_secrets() {
  local line
  while IFS= read -r line; do
    [ "$line" = end ] && return 0
    macfleet_secrets+=("$line")
  done
  echo 'macfleet-steps: standard input ended before all secrets were there' >&2
  exit 66
}

# Gives the step $1 its own values, and takes everybody else's away. Only in the step's own subshell.
driver_give() {
  local entry name value
  for entry in ${macfleet_values[@]+"${macfleet_values[@]}"}; do
    case $entry in "$1".*) ;; *) continue ;; esac
    entry=${entry#"$1".}
    printf -v "in_${entry%%=*}" '%s' "${entry#*=}"
  done
  for entry in ${macfleet_secrets[@]+"${macfleet_secrets[@]}"}; do
    case $entry in "$1".*) ;; *) continue ;; esac
    name=${entry%% *}
    # What follows the secret keeps a newline at its end from being lost.
    value=$(printf '%s' "${entry#* }" | base64 --decode && printf .) || return 1
    printf -v "secret_${name#"$1".}" '%s' "${value%.}"
  done
  macfleet_values=()
  macfleet_secrets=()
}

# The digest that was given for the step $1.
driver_digest() {
  local entry
  for entry in ${macfleet_digests[@]+"${macfleet_digests[@]}"}; do
    case $entry in "$1"@*) printf '%s' "${entry#"$1"@}" ;; esac
  done
}

driver_recorded() {
  [ ! -r "$macfleet_home/steps/$1" ] || head -n 1 "$macfleet_home/steps/$1"
}

# Into its place all at once, or not at all.
driver_record() {
  local path=$macfleet_home/steps/$1
  mkdir -p "$macfleet_home/steps" && printf '%s\n' "$2" >"$path.$$" && mv -f "$path.$$" "$path"
}

# The highest epoch that was ever taken here. Each is a file of its own, so that no two writers can lower it.
driver_seen() {
  local name seen=''
  for name in "$macfleet_home"/epoch/*; do
    name=${name##*/}
    case $name in '' | *[!0-9]*) continue ;; esac
    if [ -z "$seen" ] || [ "$name" -gt "$seen" ]; then seen=$name; fi
  done
  printf '%s' "$seen"
}

driver_raise() {
  local name
  case $macfleet_epoch in by-hand | forced) return 0 ;; esac
  mkdir -p "$macfleet_home/epoch" && : >"$macfleet_home/epoch/$macfleet_epoch" || return 1
  for name in "$macfleet_home"/epoch/*; do
    name=${name##*/}
    case $name in '' | *[!0-9]*) continue ;; esac
    [ "$name" -ge "$macfleet_epoch" ] || rm -f "$macfleet_home/epoch/$name"
  done
}

# Ends the batch, or the step, unless $1 may be changed now. These leave nothing behind that a new owner could trip over:
# first-look makes the fence, and a stopped agent is stopped.
driver_admit() {
  local seen
  seen=$(driver_seen)
  case $macfleet_epoch in
    forced) return 0 ;;
    by-hand)
      [ -z "$seen" ] || refuse "HostHeld $(cat "$macfleet_home/claim" 2>/dev/null || echo unknown)"
      return 0
      ;;
  esac
  if [ -z "$seen" ]; then
    case $1 in first-look | stop-agent) return 0 ;; esac
    refuse "NotFenced $1"
  fi
  [ "$seen" -le "$macfleet_epoch" ] || refuse "StaleEpoch $seen"
}

# Whether the process $1 is a batch of ours and leads its own process group: numbers are given out again.
driver_is_batch() {
  local found
  found=$(ps -ww -o pgid= -o command= -p "$1" 2>/dev/null) || return 1
  found=${found#"${found%%[! ]*}"}
  case $found in "$1 "*macfleet-steps*) return 0 ;; esac
  return 1
}

# Ends the batch $1 with all it started, also what runs as root: politely at first.
driver_end() {
  local left=30 signal=-TERM
  while [ "$left" -gt 0 ]; do
    [ "$left" -gt 15 ] || signal=-KILL
    kill "$signal" -- "-$1" 2>/dev/null
    sudo -n kill "$signal" -- "-$1" 2>/dev/null || kill -0 -- "-$1" 2>/dev/null || return 0
    sleep 0.1
    left=$((left - 1))
  done
}

# An apply that was at work when a newer epoch came has passed the fence: it is ended before anything new begins. Whoever
# is not yet found here asks the fence after it was raised.
driver_supersede() {
  local name epoch pid
  case $macfleet_epoch in by-hand | forced) return 0 ;; esac
  mkdir -p "$macfleet_home/running" && : >"$macfleet_home/running/$macfleet_epoch.$$" || exit 73
  trap 'rm -f "$macfleet_home/running/$macfleet_epoch.$$"' EXIT
  for name in "$macfleet_home"/running/*.*; do
    name=${name##*/}
    epoch=${name%%.*}
    pid=${name#*.}
    case $epoch$pid in *[!0-9]*) continue ;; esac
    [ "$epoch" -lt "$macfleet_epoch" ] || continue
    if driver_is_batch "$pid"; then driver_end "$pid"; fi
    rm -f "$macfleet_home/running/$name"
  done
}

# A link whose text is "<expiry> <owner>": it is there with both at once, or not at all.
driver_lock_owner() {
  local text left
  text=$(readlink "$macfleet_home/lock") || return 0
  case ${text%% *} in '' | *[!0-9]*) return 0 ;; esac
  left=$((${text%% *} - $(date +%s)))
  # Longer than anybody takes it for: the clock was set back since.
  [ "$left" -lt 0 ] || [ "$left" -gt 900 ] || printf '%s' "${text#* }"
}

# Nobody else's work between two of our batches. Whoever dies is waited for until the lock expires.
driver_take_lock() {
  local owner text
  owner=$(driver_lock_owner)
  if [ -n "$owner" ] && [ "$owner" != "$macfleet_lock" ]; then refuse "HostBusy $owner"; fi
  [ -n "$macfleet_lock" ] || return 0
  mkdir -p "$macfleet_home"
  text="$(($(date +%s) + 900)) $macfleet_lock"
  # An expired one is in the way of the link that decides between two who come at once.
  [ -n "$owner" ] || rm -f "$macfleet_home/lock"
  if ln -s "$text" "$macfleet_home/lock" 2>/dev/null; then return 0; fi
  owner=$(driver_lock_owner)
  [ "$owner" = "$macfleet_lock" ] || refuse "HostBusy ${owner:-unknown}"
  ln -s "$text" "$macfleet_home/lock.$$" && mv -f "$macfleet_home/lock.$$" "$macfleet_home/lock"
}

driver_release_lock() {
  [ "$macfleet_unlock" = yes ] && [ "$(driver_lock_owner)" = "$macfleet_lock" ] && rm -f "$macfleet_home/lock"
}

# So many lines of a step are passed on as they come; of more, the end alone.
driver_relay() {
  driver_relay_pieces "$1" 256
  tail -c 16384 | {
    # What is cut off at its beginning may be half of anything.
    if IFS= read -r _; then printf '%s|[output left out]\n' "$1"; fi
    driver_relay_pieces "$1" 4096
  }
}

# Each piece is one write, short enough that no other can come between. A line of more than 400 bytes is several pieces.
driver_relay_pieces() {
  local piece left=$2
  while [ "$left" -gt 0 ] && { IFS= read -r -n 400 piece || [ -n "$piece" ]; }; do
    printf '%s|%s\n' "$1" "$piece"
    left=$((left - 1))
  done
}

# shellcheck disable=SC2317 # called by the step functions that stand before this file
# The last line of every step function: runs the phase $1 of the step file above it.
driver_run() {
  if [ "$1" = verify ] && ! declare -F verify >/dev/null; then check; else "$1"; fi
}

# Runs the phase $2 of the step $1 and says how it ended.
driver_phase() {
  local code
  "step_${1//-/_}" "$2" </dev/null 2>&1 | driver_relay "$1"
  code=${PIPESTATUS[0]}
  printf '%s=%s %s\n' "$1" "$2" "$code"
  return "$code"
}

driver_converge() {
  local step=$1 digest code
  digest=$(driver_digest "$step")
  driver_phase "$step" check
  code=$?
  if [ "$code" -eq 0 ] && [ "$(driver_recorded "$step")" = "$digest" ]; then return 0; fi
  [ "$code" -le 1 ] || return "$code"
  driver_admit "$step"
  # From here on nobody knows, until it was verified.
  rm -f "$macfleet_home/steps/$step"
  driver_phase "$step" apply && driver_verify "$step"
}

driver_verify() {
  local digest
  driver_phase "$1" verify || return $?
  digest=$(driver_digest "$1")
  [ -z "$digest" ] || driver_record "$1" "$digest"
}

# One call, in a subshell of its own.
driver_call() {
  local step=${1%%/*} recorded
  if ! declare -F "step_${step//-/_}" >/dev/null; then
    printf '%s|there is no script of this step\n%s=check 127\n' "$step" "$step"
    return 127
  fi
  if ! driver_give "$step"; then
    printf '%s|its values could not be read\n%s=check 66\n' "$step" "$step"
    return 66
  fi
  case ${1#*/} in
    check) driver_phase "$step" check ;;
    converge) driver_converge "$step" ;;
    verify) driver_admit "$step" && driver_verify "$step" ;;
  esac
  local code=$?
  recorded=$(driver_recorded "$step")
  printf '%s@%s\n' "$step" "${recorded:--}"
  return "$code"
}

driver_facts() {
  local artefacts='' path seen owner
  for path in "$macfleet_home"/artefacts/*; do
    path=${path##*/}
    case $path in '' | *[!0-9a-f]*) continue ;; esac
    artefacts=$artefacts${artefacts:+,}$path
  done
  seen=$(driver_seen)
  owner=$(driver_lock_owner)
  printf 'macfleet-host epoch=%s lock=%s artefacts=%s\n' "${seen:--}" "${owner:--}" "${artefacts:--}"
}

driver_is_changing() {
  local call
  for call in ${macfleet_calls[@]+"${macfleet_calls[@]}"}; do
    case $call in next | */check) ;; *) return 0 ;; esac
  done
  return 1
}

# Alone and before all others: the fence stands only if its claim does, and nothing else is touched unless it stands.
driver_first_look() {
  local call code
  for call in ${macfleet_calls[@]+"${macfleet_calls[@]}"}; do
    case $call in first-look/*) ;; *) continue ;; esac
    (driver_call "$call")
    code=$?
    [ "$code" -ne 97 ] || exit 97
    case $call in */check) continue ;; esac
    [ "$code" -eq 0 ] || exit 0
    driver_raise || exit 73
  done
}

# All calls of the batch or none.
driver_fence() {
  local call
  for call in ${macfleet_calls[@]+"${macfleet_calls[@]}"}; do
    case $call in next | */check) ;; *) driver_admit "${call%%/*}" ;; esac
  done
  [ -n "$(driver_seen)" ] || return 0
  driver_admit fence
  driver_raise || exit 73
}

# Waits for the calls of a stage, and says whether all ended well. `pids` and `refused` are those of driver_main.
driver_end_stage() {
  local pid code failed=0
  for pid in ${pids[@]+"${pids[@]}"}; do
    wait "$pid"
    code=$?
    [ "$code" -eq 0 ] || failed=1
    [ "$code" -ne 97 ] || refused=97
  done
  pids=()
  return "$failed"
}

driver_main() {
  local call pids=() refused=0
  case $macfleet_epoch in
    by-hand | forced) ;;
    '' | *[!0-9]*) echo 'macfleet-steps: no epoch' >&2 && exit 64 ;;
  esac
  shift
  driver_read_words "$@"
  driver_read_secrets
  driver_facts
  if driver_is_changing; then driver_take_lock; fi
  driver_first_look
  driver_fence
  if driver_is_changing && [ -n "$(driver_seen)" ]; then driver_supersede; fi
  for call in ${macfleet_calls[@]+"${macfleet_calls[@]}"} next; do
    case $call in
      first-look/*) ;;
      next) driver_end_stage || break ;;
      *)
        (driver_call "$call") &
        pids+=($!)
        ;;
    esac
  done
  driver_release_lock
  exit "$refused"
}

driver_main "$@"
