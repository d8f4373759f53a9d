# shellcheck shell=bash
# What the steps share: the beginning of every program that runs on a Mac. Its end, driver.sh, sets what all run under
# (/bin/bash 3.2, LC_ALL=C, a fixed PATH, set -u -o pipefail).

NEWLINE=$'\n'

say() { printf '%s\n' "$*"; }

# fail <what, and why>: ends the phase, with one line. Exit 1 means "not done" in a check, so a failure is 70 there.
fail() {
  local why="$*"
  say "${why//$NEWLINE/ }"
  exit 70
}

# Whether the step is done as it is. A step that was recorded by another version of its script is applied again, and must
# not undo or disturb what is right.
is_done() { (check) >/dev/null 2>&1; }

# As root. Never asks for a password, and so never adds to PAM's tally.
root() { sudo -n "$@"; }

# A check that must look at what only root may see: without root the step is not done.
look_as_root() {
  root true 2>/dev/null && return 0
  say 'sudo asks for a password'
  exit 1
}

me() { id -un; }

# put_file <path> <mode> <owner:group> [<command>…]: standard input becomes the file, on a new inode, whole or not at
# all. A command, if given, must accept the new file, whose name it gets as last argument.
# shellcheck disable=SC2016
put_file() {
  root /bin/sh -c '
    umask 077
    path=$1 new=$1.macfleet-new mode=$2 owner=$3
    shift 3
    rm -f "$new" && cat >"$new" && chmod "$mode" "$new" && chown "$owner" "$new" &&
      { [ $# -eq 0 ] || "$@" "$new"; } && mv -f "$new" "$path" && exit 0
    rm -f "$new"
    exit 1
  ' sh "$@"
}

# put_folders <path>…: there, and open for all to look at.
put_folders() { root /bin/sh -c 'umask 022 && mkdir -p "$@"' sh "$@"; }

# file_is <path> <mode> <owner:group>: whether the file is there and holds exactly what comes on standard input.
# shellcheck disable=SC2016
file_is() {
  root /bin/sh -c 'cmp -s - "$1" && [ "$(stat -f "%Lp %Su:%Sg" "$1")" = "$2 $3" ]' sh "$@" || return 1
}

# file_says <path> <text>: whether the file holds this one line.
file_says() { [ "$(root cat "$1" 2>/dev/null)" = "$2" ]; }

# artefact <sum>: where the uploaded file of that sum lies. Ends the phase if it is not there or not what its name says.
artefact() {
  local path=${macfleet_home:?}/artefacts/$1 sum
  [ -f "$path" ] || fail "the file $1 was not uploaded"
  sum=$(shasum -a 256 "$path") || fail "cannot read $path"
  [ "${sum%% *}" = "$1" ] || fail "the file $1 is damaged: its sum is ${sum%% *}"
  say "$path"
}

# job_field <label> <name>: the first line `<name> = <value>` of what launchd says about a system job; nothing if none.
job_field() {
  local line found=
  launchctl print "system/$1" 2>/dev/null | while read -r line; do
    case $line in
      "$2 = "*)
        [ -n "$found" ] || say "${line#"$2 = "}"
        found=yes
        ;;
    esac
  done
}

job_pid() { job_field "$1" pid; }

job_is_loaded() { launchctl print "system/$1" >/dev/null 2>&1 || return 1; }

# load_job <label>: from its plist as it lies on the disk. launchd ends the old one in its own time, and refuses a new
# one until then.
load_job() {
  local plist=/Library/LaunchDaemons/$1.plist said left=15
  root launchctl bootout "system/$1" >/dev/null 2>&1
  while job_is_loaded "$1"; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || fail "launchd does not let go of $1"
    sleep 1
  done
  left=3
  until said=$(root launchctl bootstrap system "$plist" 2>&1); do
    job_is_loaded "$1" && return 0
    left=$((left - 1))
    [ "$left" -gt 0 ] || fail "launchd does not take $1: $said"
    sleep 1
  done
}

# daemon_is <label>: whether it is loaded, from a plist that is standard input to the letter.
daemon_is() {
  file_is "/Library/LaunchDaemons/$1.plist" 644 root:wheel && job_is_loaded "$1"
}

# put_daemon <label>: standard input becomes its plist, and launchd takes it up.
put_daemon() {
  put_file "/Library/LaunchDaemons/$1.plist" 644 root:wheel plutil -lint -s || fail "cannot write the plist of $1"
  load_job "$1"
}

xml() { say "$1" | sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g'; }

# plist_head <label>: a launchd job's plist up to its label; what is particular follows, then plist_end.
plist_head() {
  cat <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
END
  plist_string Label "$1"
}

plist_end() { printf '</dict>\n</plist>\n'; }

plist_string() { printf '  <key>%s</key>\n  <string>%s</string>\n' "$1" "$(xml "$2")"; }
plist_integer() { printf '  <key>%s</key>\n  <integer>%s</integer>\n' "$1" "$2"; }
plist_true() { printf '  <key>%s</key>\n  <true/>\n' "$1"; }

# plist_strings <key> <value>…
plist_strings() {
  local value
  printf '  <key>%s</key>\n  <array>\n' "$1"
  shift
  for value in "$@"; do printf '    <string>%s</string>\n' "$(xml "$value")"; done
  printf '  </array>\n'
}

# is_unsealed <password>: whether it may be a password at all. Scaleway and loginwindow both put a marker in its place.
is_unsealed() {
  case $1 in
    '' | *'<sealed>'* | *%3[Cc]sealed%3[Ee]*) return 1 ;;
  esac
}

# A virtual machine is a process `tart run`: what must not be disturbed.
has_running_vm() { pgrep -f '^/usr/local/lib/tart.app/Contents/MacOS/tart run ' >/dev/null; }
