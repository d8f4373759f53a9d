# shellcheck shell=bash
# title: sudo without a password
# what: Lets the login user become root without a password. The password is tried once, and only while the file is not there.
# why: Everything else here needs root. Each wrong try counts towards the lock that PAM puts on the account, so there is
#   one try per password (000-2, 000-3).
# files: /etc/sudoers.d/<user>-nopasswd
# undo: sudo rm /etc/sudoers.d/<user>-nopasswd

# Exits: 77 when sudo refused the password, so that the same one is not tried again.
: "${secret_sudoPassword:=}" "${NEWLINE:?}"

# -k: not by the memory of an earlier login.
check() { sudo -k -n true 2>/dev/null; }

apply() {
  local user said
  is_done && return 0
  user=$(me)
  case $user in
    '' | *[!a-z0-9_-]*) fail "a user named $user cannot be put into sudoers" ;;
  esac
  is_unsealed "$secret_sudoPassword" || fail 'no password is known; sudo was not asked'
  said=$(install_rule "$user" 2>&1) && return 0
  said=${said//$NEWLINE/ }
  case $said in
    *locked*) fail 'the account is locked after too many wrong passwords; a restart of the Mac opens it' ;;
    *'<macfleet-root>'*) fail "cannot write the sudoers file:${said##*<macfleet-root>}" ;;
  esac
  say "sudo did not take the password: $said"
  exit 77
}

# One try: sudo reads one line, and finds no second.
# shellcheck disable=SC2016
install_rule() {
  printf '%s\n' "$secret_sudoPassword" | sudo -S -k -p '' /bin/sh -c '
    echo "<macfleet-root>"
    umask 022
    path=/etc/sudoers.d/$1-nopasswd
    new=$path.macfleet-new
    mkdir -p /etc/sudoers.d && printf "%s ALL=(ALL) NOPASSWD: ALL\n" "$1" >"$new" && chmod 440 "$new" &&
      visudo -c -f "$new" && mv -f "$new" "$path" && exit 0
    rm -f "$new"
    exit 1
  ' sh "$1"
}
