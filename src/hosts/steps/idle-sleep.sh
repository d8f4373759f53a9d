# shellcheck shell=bash
# title: No sleep, no lock, no surprise restart
# what: Turns off sleep of the Mac, its display and its disks, the screen saver and its lock, the automatic logout, and macOS
#   updates that install themselves.
# why: Each of them ends the graphical session, and with it every virtual machine.
# files: /Library/Preferences/com.apple.screensaver.plist, /Library/Preferences/.GlobalPreferences.plist,
#   /Library/Preferences/com.apple.SoftwareUpdate.plist, power settings (pmset)
# undo: sudo pmset restoredefaults; sudo defaults delete <file> <key> for the keys named in the script

# preferences <command>: calls it with file, key and value of each.
preferences() {
  local at=/Library/Preferences
  "$1" $at/com.apple.screensaver idleTime 0 &&
    "$1" $at/com.apple.screensaver askForPassword 0 &&
    "$1" $at/.GlobalPreferences com.apple.autologout.AutoLogOutDelay 0 &&
    "$1" $at/com.apple.SoftwareUpdate AutomaticDownload 0 &&
    "$1" $at/com.apple.SoftwareUpdate AutomaticallyInstallMacOSUpdates 0
}

is_set() {
  [ "$(root defaults read "$1" "$2" 2>/dev/null)" = "$3" ] && return 0
  say "$2 is not $3"
  return 1
}

set_it() { root defaults write "$1" "$2" -int "$3"; }

check() {
  look_as_root
  never_sleeps && preferences is_set
}

apply() {
  root pmset -a sleep 0 displaysleep 0 disksleep 0 || fail 'pmset refused'
  preferences set_it || fail 'a preference could not be written'
}

# Each power source has its own three.
never_sleeps() {
  local key value said seen=0
  said=$(pmset -g custom) || fail 'pmset tells nothing'
  while read -r key value _; do
    case $key in
      sleep | displaysleep | disksleep) seen=$((seen + 1)) ;;
      *) continue ;;
    esac
    [ "$value" = 0 ] || { say "$key after $value minutes" && return 1; }
  done <<END
$said
END
  [ "$seen" -ge 3 ]
}
