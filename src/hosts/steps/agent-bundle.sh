# shellcheck shell=bash
# title: The agent's program
# what: Installs the agent, one JavaScript file, and the command that starts it on its runtime.
# why: This file is what a new version of the agent changes; it is moved into place whole, so that a cut connection leaves
#   the old one.
# files: /usr/local/lib/tart-kubelet/tart-kubelet.mjs, /usr/local/bin/tart-kubelet
# undo: sudo rm -r /usr/local/lib/tart-kubelet /usr/local/bin/tart-kubelet
: "${in_artefact_agent:?}"

BUNDLE=/usr/local/lib/tart-kubelet/tart-kubelet.mjs
# Compiled code is kept where the agent may write, and makes the next start a fast one.
CODE=/var/lib/tart-userdata/.code

wrapper() {
  printf '#!/bin/sh\nexport TART_KUBELET_CODE_CACHE=%s\n' "$CODE"
  printf 'exec /usr/local/lib/tart-kubelet/node %s "$@"\n' "$BUNDLE"
}

check() {
  look_as_root
  [ "$(shasum -a 256 $BUNDLE 2>/dev/null)" = "$in_artefact_agent  $BUNDLE" ] || return 1
  wrapper | file_is /usr/local/bin/tart-kubelet 755 root:wheel
}

apply() {
  local bundle
  is_done && return 0
  bundle=$(artefact "$in_artefact_agent") || fail "$bundle"
  put_folders "${BUNDLE%/*}" /usr/local/bin
  put_file $BUNDLE 644 root:wheel <"$bundle" || fail "cannot write $BUNDLE"
  wrapper | put_file /usr/local/bin/tart-kubelet 755 root:wheel || fail 'cannot write /usr/local/bin/tart-kubelet'
}
