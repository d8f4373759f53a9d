#!/host/usr/bin/bash
# sudo: the model decides (sudoers files, password, PAM's tally); what was allowed then runs here, as another user.
user=root
asks=password
prompt='Password:'
while (($# > 0)); do
  case $1 in
    -n | --non-interactive) asks=nothing ;;
    -S | --stdin) asks=stdin ;;
    -p | --prompt) prompt=$2 && shift ;;
    -u | --user) user=$2 && shift ;;
    -k | -K | -E | -H | -b) ;;
    -v) set -- -v true && break ;;
    --) shift && break ;;
    -nS | -Sn) asks=nothing ;;
    -*) echo "sudo: the simulated sudo does not know $1" >&2 && exit 1 ;;
    *) break ;;
  esac
  shift
done
[[ ${1-} != -v ]] || shift
(($# > 0)) || exit 0

question() {
  local LC_ALL=C code error_bytes text
  read -r port token </System/Volumes/macfleet/door
  exec 3<>"/dev/tcp/127.0.0.1/$port" || exit 70
  printf '%s\0' "$token" sudo "$EUID" "$$" "$PWD" '' "$#" "$@" >&3
  IFS=' ' read -r code _ error_bytes <&3 || exit 70
  if ((error_bytes > 0)); then
    IFS= read -r -N "$error_bytes" text <&3
    printf '%s' "$text" >&2
  fi
  exec 3<&-
  return "$code"
}

# 0: allowed; 1: refused; 2: a password is wanted.
question may "$user" "$@"
verdict=$?
attempts=0
while ((verdict == 2)); do
  if [[ $asks == nothing ]]; then
    echo 'sudo: a password is required' >&2
    exit 1
  fi
  if [[ $asks == password && ! -t 0 ]]; then
    echo 'sudo: a terminal is required to read the password; either use the -S option to read from standard input or configure an askpass helper' >&2
    echo 'sudo: a password is required' >&2
    exit 1
  fi
  printf '%s' "$prompt" >&2
  # A last line without its end counts as no input.
  if ! IFS= read -r given; then
    ((attempts > 0)) && echo "sudo: $attempts incorrect password attempt" >&2 && exit 1
    echo 'sudo: no password was provided' >&2
    echo 'sudo: a password is required' >&2
    exit 1
  fi
  attempts=$((attempts + 1))
  question try "$user" "$given"
  verdict=$?
  ((verdict == 2)) || break
  if ((attempts == 3)); then
    echo 'sudo: 3 incorrect password attempts' >&2
    exit 1
  fi
  echo 'Sorry, try again.' >&2
done
((verdict == 0)) || exit 1

# Of the environment little is kept, as on macOS. Without another program, which would cost time at each call.
who=$USER
while IFS='=' read -r -d '' name _; do
  case $name in
    PATH | HOME | TERM | LANG | LC_ALL) ;;
    *) unset "$name" ;;
  esac
done </proc/self/environ
export SUDO_USER=$who SUDO_UID=$UID USER=$user LOGNAME=$user SHELL=/bin/sh
while [[ ${1-} == [A-Za-z_]*=* ]]; do
  export "${1%%=*}=${1#*=}"
  shift
done
if [[ $user == root ]]; then
  become=(--reuid 0 --regid 0 --clear-groups '--inh-caps=-all' '--ambient-caps=-all')
else
  become=(--reuid 501 --regid 20 --groups '20,80' '--inh-caps=-all,+setuid,+setgid' '--ambient-caps=-all,+setuid,+setgid')
fi
exec /host/usr/bin/setpriv "${become[@]}" "$@"
