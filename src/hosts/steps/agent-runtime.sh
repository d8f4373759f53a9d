# shellcheck shell=bash
# title: The agent's runtime
# what: Installs the Node.js program that the agent runs on: unpacked, signed and tried under a new name, then moved into place.
#   The agent that runs keeps its own until it is started again.
# why: macOS remembers a program's signature by its file; one that was overwritten in place is killed at its next start (004-4).
# files: /usr/local/lib/tart-kubelet/node, /usr/local/lib/tart-kubelet/node.sha256
# undo: sudo rm -r /usr/local/lib/tart-kubelet
: "${in_artefact_node:?}"

RUNTIME=/usr/local/lib/tart-kubelet/node

check() {
  look_as_root
  file_says $RUNTIME.sha256 "$in_artefact_node" || return 1
  codesign --verify $RUNTIME 2>&1 || return 1
}

apply() {
  local packed
  is_done && return 0
  packed=$(artefact "$in_artefact_node") || fail "$packed"
  put_folders "${RUNTIME%/*}"
  gzip -dc "$packed" | put_file $RUNTIME 755 root:wheel /bin/sh -c "$ACCEPT" sh || fail 'the runtime could not be installed'
  say "$in_artefact_node" | put_file $RUNTIME.sha256 644 root:wheel || fail "cannot write $RUNTIME.sha256"
}

# Signed before it is in its place, and only there if it starts. From then on nobody knows what is there, until it is noted.
# shellcheck disable=SC2016
ACCEPT='codesign --force --sign - "$1" && codesign --verify "$1" && "$1" --version && rm -f "${1%.*}.sha256"'
