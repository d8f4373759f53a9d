# shellcheck shell=bash
# title: The agent's way into the cluster
# what: Writes the kubeconfig with which the agent asks for its own certificate.
# why: The token in it is for this Mac alone, works once and for minutes; nobody else on the Mac may read it.
# files: /etc/tart-kubelet/kubeconfig
# undo: sudo rm -r /etc/tart-kubelet
: "${secret_kubeconfig:=}"

KUBECONFIG_FILE=/etc/tart-kubelet/kubeconfig

# Without one to compare with, the one that is there is right.
check() {
  look_as_root
  if [ -z "$secret_kubeconfig" ]; then
    root test -s $KUBECONFIG_FILE
  else
    printf '%s' "$secret_kubeconfig" | file_is $KUBECONFIG_FILE 600 "$(me):staff"
  fi
}

apply() {
  is_done && return 0
  [ -n "$secret_kubeconfig" ] || fail 'no kubeconfig was given'
  put_folders "${KUBECONFIG_FILE%/*}"
  printf '%s' "$secret_kubeconfig" | put_file $KUBECONFIG_FILE 600 "$(me):staff" || fail "cannot write $KUBECONFIG_FILE"
}
