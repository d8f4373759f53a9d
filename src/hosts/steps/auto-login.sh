# shellcheck shell=bash
# title: Automatic login
# what: Puts the login user's password where loginwindow reads it, names the user, restarts loginwindow by launchd, waits for
#   the graphical session and reads the file back. A session that is already there is left alone, and so is a file
#   that macOS accepted.
# why: macOS starts virtual machines only from a graphical session of the same user. loginwindow replaces a wrong password
#   by a marker, after which the Mac looks right and no machine ever starts (003-2). A loginwindow that was sent a
#   hang-up stays dead (003-3).
# files: /etc/kcpassword, /Library/Preferences/com.apple.loginwindow.plist
# undo: sudo rm /etc/kcpassword; sudo defaults delete /Library/Preferences/com.apple.loginwindow autoLoginUser
: "${secret_sudoPassword:=}"

KCPASSWORD=/etc/kcpassword
KCPASSWORD_KEY=(125 137 82 35 210 188 221 234 163 185 31)
SEALED='60 115 101 97 108 101 100 62'
LOGINWINDOW=/Library/Preferences/com.apple.loginwindow

check() {
  look_as_root
  [ "$(root defaults read "$LOGINWINDOW" autoLoginUser 2>/dev/null)" = "$(me)" ] || return 1
  is_sound "$(stored)" || return 1
  has_session && return 0
  say 'no graphical session'
  return 1
}

apply() {
  local before wanted lingers=0
  is_done && return 0
  is_unsealed "$secret_sudoPassword" || fail 'no password is known; /etc/kcpassword was not written'
  before=$(stored)
  wanted=$(bytes_of "$secret_sudoPassword")
  write_bytes "$wanted" || fail "cannot write $KCPASSWORD"
  root defaults write "$LOGINWINDOW" autoLoginUser "$(me)" || fail 'cannot name the user who logs in'
  if has_session; then
    if has_running_vm; then
      say 'virtual machines run: the new password counts from the next login on'
      return 0
    fi
    # It is still seen for a moment after its end.
    lingers=5
  fi
  root launchctl kickstart -k system/com.apple.loginwindow || say 'launchd did not restart loginwindow'
  sleep "$lingers"
  wait_for_session "$wanted"
  if [ "$(stored)" != "$wanted" ]; then
    # Better the file that macOS had not refused than none.
    if is_sound "$before" && [ "$before" != "$wanted" ]; then write_bytes "$before"; fi
    fail 'macOS refused the password: loginwindow put <sealed> into /etc/kcpassword'
  fi
  has_session || fail 'no graphical session after 45 s; a restart of the Mac may log in'
}

has_session() {
  case $(launchctl print "gui/$(id -u)" 2>/dev/null) in
    *'session = Aqua'*) return 0 ;;
  esac
  return 1
}

# wait_for_session <bytes>: not longer than the file holds them.
wait_for_session() {
  local left=45
  until has_session; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || return 0
    [ "$(stored)" = "$1" ] || return 0
    sleep 1
  done
}

# Whether the decoded bytes are a password: not empty, and not the marker.
is_sound() {
  case $1 in
    '') say "$KCPASSWORD: not there, or empty" && return 1 ;;
    "$SEALED"*) say "$KCPASSWORD holds <sealed>" && return 1 ;;
  esac
}

# The bytes of a text as decimal numbers. LC_ALL=C: a character is a byte.
bytes_of() {
  local text=$1 at byte bytes=
  for ((at = 0; at < ${#text}; at++)); do
    printf -v byte '%d' "'${text:at:1}"
    bytes="$bytes${bytes:+ }$((byte & 255))"
  done
  say "$bytes"
}

# The password in the file, decoded up to its first zero, as decimal numbers.
stored() {
  local byte at=0 bytes=
  for byte in $(root cat "$KCPASSWORD" 2>/dev/null | od -An -v -tu1); do
    byte=$((byte ^ KCPASSWORD_KEY[at % 11]))
    [ "$byte" -ne 0 ] || break
    bytes="$bytes${bytes:+ }$byte"
    at=$((at + 1))
  done
  say "$bytes"
}

# Padded with at least one zero to a multiple of the key's length.
write_bytes() {
  local byte code at=0 text=
  # shellcheck disable=SC2086
  set -- $1
  until [ $# -eq 0 ] && [ "$at" -gt 0 ] && [ $((at % 11)) -eq 0 ] && [ "$byte" -eq 0 ]; do
    byte=${1:-0}
    [ $# -eq 0 ] || shift
    printf -v code '\\0%03o' $((byte ^ KCPASSWORD_KEY[at % 11]))
    text=$text$code
    at=$((at + 1))
  done
  printf '%b' "$text" | put_file "$KCPASSWORD" 600 root:wheel
}
