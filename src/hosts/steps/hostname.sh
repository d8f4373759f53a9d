# shellcheck shell=bash
# title: The Mac's name
# what: Names the Mac after its Node.
# why: Logs, prompts and neighbours on the network call it as Kubernetes does.
# files: system configuration (scutil): HostName, LocalHostName, ComputerName
# undo: sudo scutil --set HostName <name>, and the same for LocalHostName and ComputerName
: "${in_nodeName:?}"

# names <command>: calls it with each kind and the name it must have. A local name has no dots.
names() {
  "$1" HostName "$in_nodeName" && "$1" LocalHostName "${in_nodeName//./-}" && "$1" ComputerName "$in_nodeName"
}

is_named() {
  [ "$(scutil --get "$1" 2>/dev/null)" = "$2" ] && return 0
  say "$1 is another"
  return 1
}

name_it() { root scutil --set "$1" "$2"; }

check() {
  assert_name
  names is_named
}

apply() {
  assert_name
  names name_it || fail 'scutil refused the name'
}

assert_name() {
  case $in_nodeName in
    *[!a-z0-9.-]* | [.-]* | *[.-]) fail 'the name of the Node is none that a host can have' ;;
  esac
  [ "${#in_nodeName}" -le 63 ] || fail 'the name of the Node is longer than 63 characters'
}
