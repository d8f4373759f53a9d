# shellcheck shell=bash
# title: Tart
# what: Installs Tart, which runs the virtual machines, from the archive of the fleet's configuration: unpacked beside the old
#   one, tried, then put in its place. Machines that run keep the one they were started with. Addresses of machines are
#   leased for ten minutes.
# why: A hypervisor is not replaced under its machines, and a broken archive must not cost a working Tart. With macOS' lease
#   of a day a busy Mac runs out of addresses (F57).
# files: /usr/local/lib/tart.app, /usr/local/lib/tart.app.sha256, /usr/local/bin/tart,
#   /Library/Preferences/SystemConfiguration/com.apple.InternetSharing.default.plist
# undo: sudo rm -r /usr/local/lib/tart.app* /usr/local/bin/tart
: "${in_artefact_tart:?}"

TART=/usr/local/lib/tart.app
SHARING=/Library/Preferences/SystemConfiguration/com.apple.InternetSharing.default

# Not a link: the entitlements belong to the signature of the bundle.
wrapper() { printf '#!/bin/sh\nexec %s/Contents/MacOS/tart "$@"\n' "$TART"; }

check() {
  look_as_root
  file_says $TART.sha256 "$in_artefact_tart" || return 1
  wrapper | file_is /usr/local/bin/tart 755 root:wheel || return 1
  has_short_leases || return 1
  starts $TART
}

starts() { said=$("$1/Contents/MacOS/tart" --version 2>&1) || return 1; }

has_short_leases() {
  case $(root defaults read $SHARING bootpd 2>/dev/null) in
    *'DHCPLeaseTimeSecs = 600;'*) return 0 ;;
  esac
  return 1
}

apply() {
  local archive
  is_done && return 0
  if ! file_says $TART.sha256 "$in_artefact_tart" || ! starts $TART; then
    archive=$(artefact "$in_artefact_tart") || fail "$archive"
    replace_app "$archive"
  fi
  put_folders /usr/local/bin
  wrapper | put_file /usr/local/bin/tart 755 root:wheel || fail 'cannot write /usr/local/bin/tart'
  has_short_leases || root defaults write $SHARING bootpd -dict DHCPLeaseTimeSecs -int 600 || fail 'cannot set the lease time'
}

# replace_app <archive>
replace_app() {
  local new=/usr/local/lib/tart.app.new
  root rm -rf $new || fail "cannot remove $new"
  put_folders $new || fail "cannot write $new"
  if ! said=$(root tar -x -o -f "$1" -C $new 2>&1); then
    root rm -rf $new
    fail "cannot unpack the archive of Tart: $said"
  fi
  if ! starts $new/tart.app; then
    root rm -rf $new
    fail "the Tart of the archive does not start: $said"
  fi
  root rm -f $TART.sha256
  drop_old_app
  [ ! -e $TART ] || root mv $TART "/usr/local/lib/tart.app.old-$$" || fail 'cannot move the old Tart away'
  root mv $new/tart.app $TART || fail 'cannot put Tart into its place'
  root rm -rf $new
  say "$in_artefact_tart" | put_file $TART.sha256 644 root:wheel || fail "cannot write $TART.sha256"
  drop_old_app
}

# What running machines were started from stays until they are gone.
drop_old_app() {
  has_running_vm || root /bin/sh -c 'rm -rf /usr/local/lib/tart.app.old-*'
}
