# shellcheck shell=bash
# title: The first look
# what: Looks for the marks of an earlier owner, and notes for whom this Mac now works. Whoever finds another's mark
#   changes nothing: the Mac was not wiped. Every later batch of work carries a number (the epoch), kept here too;
#   work that carries a lower one is refused as a whole.
# why: A controller that lost its lead, or a Mac that came back from the pool unwiped, must not be worked on (R9, R10).
# files: ~/.macfleet/claim, ~/.macfleet/epoch/, ~/.macfleet/steps/, ~/.macfleet/artefacts/, ~/.macfleet/running/, ~/.macfleet/lock
# undo: rm -r ~/.macfleet
: "${in_claim:?}" "${in_takeover:=no}" "${macfleet_home:?}"

check() {
  [ -e "$macfleet_home/claim" ] || return 1
  is_claimed || refuse 'NotWiped it works for another claim'
  is_fenced || { say 'it has the claim, and no epoch yet' && return 1; }
}

apply() {
  if [ "$in_takeover" != yes ] && ! is_claimed; then
    [ ! -e /etc/tart-kubelet/kubeconfig ] || refuse "NotWiped it has an agent's kubeconfig"
    [ ! -e /Library/LaunchDaemons/dev.tuist.tart-kubelet.plist ] || refuse 'NotWiped it has an agent'
  fi
  if ! { mkdir -p "$macfleet_home" && chmod 700 "$macfleet_home" && say "$in_claim" >"$macfleet_home/claim.new"; }; then
    fail 'cannot write ~/.macfleet'
  fi
  mv -f "$macfleet_home/claim.new" "$macfleet_home/claim"
}

# The epoch is the driver's to keep, which notes it once this step has ended well.
verify() { is_claimed; }

is_claimed() { [ "$(cat "$macfleet_home/claim" 2>/dev/null)" = "$in_claim" ]; }

# Whoever is cut off in between leaves a claim without an epoch: then this step is not done, and no other is let through.
is_fenced() {
  local name
  for name in "$macfleet_home"/epoch/*; do
    [ ! -e "$name" ] || return 0
  done
  return 1
}
