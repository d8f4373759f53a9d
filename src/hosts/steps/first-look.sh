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
  [ "$(cat "$macfleet_home/claim")" = "$in_claim" ] || refuse 'NotWiped it works for another claim'
}

apply() {
  if [ "$in_takeover" != yes ]; then
    [ ! -e /etc/tart-kubelet/kubeconfig ] || refuse "NotWiped it has an agent's kubeconfig"
    [ ! -e /Library/LaunchDaemons/dev.tuist.tart-kubelet.plist ] || refuse 'NotWiped it has an agent'
  fi
  if ! { mkdir -p "$macfleet_home" && chmod 700 "$macfleet_home" && say "$in_claim" >"$macfleet_home/claim.new"; }; then
    fail 'cannot write ~/.macfleet'
  fi
  mv -f "$macfleet_home/claim.new" "$macfleet_home/claim"
}
