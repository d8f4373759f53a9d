# shellcheck shell=bash
# title: The way to virtual machines (hosts that build images only)
# what: Lets every program of the Mac talk to private addresses without a dialogue that asks for it. It counts from the next
#   restart on, before which nothing changes.
# why: A runner lives in the graphical session, where macOS asks before it lets a program talk to a virtual machine. Nobody is
#   there to answer, and every build fails (F45, I-33). The agent is a daemon, which macOS does not ask.
# files: /var/root/Library/Preferences/com.apple.network.local-network.plist
# undo: sudo defaults delete com.apple.network.local-network; sudo reboot

DOMAIN=com.apple.network.local-network
KEYS='AllowedEthernetLocalNetworkAddresses AllowedWiFiLocalNetworkAddresses'
RANGES='10.0.0.0/8 172.16.0.0/12 192.168.0.0/16'

check() {
  local key range said
  look_as_root
  for key in $KEYS; do
    said=$(root defaults read $DOMAIN "$key" 2>/dev/null)
    for range in $RANGES; do
      case $said in
        *"$range"*) ;;
        *) say "$key lacks $range" && return 1 ;;
      esac
    done
  done
}

# The domain of root alone is the one that macOS looks at.
apply() {
  local key
  for key in $KEYS; do
    # shellcheck disable=SC2086
    root defaults write $DOMAIN "$key" -array $RANGES || fail "cannot write $key"
  done
}
