# shellcheck shell=bash
# title: A firewall around virtual machines
# what: Writes pf rules that keep virtual machines away from private networks and the metadata service, names them in pf.conf
#   for the next boot (in exactly one marked block, after removing what earlier versions left), and loads them now,
#   where the running rules look: in an anchor of their own and in one below Apple's. A job loads them again should
#   they get lost. All other rules, Apple's above all, are left as they are; nothing is reloaded as a whole.
# why: Traffic of a machine leaves by the Mac and never passes Kubernetes' own network policies. Tables that earlier versions
#   kept in memory block every load (001-1), a block that is there twice makes all of pf.conf unloadable (003-1), a
#   full reload on a Mac in use fails (I-22), and an anchor that nobody evaluates filters nothing (W-18).
# files: /etc/pf.anchors/tuist.runners, /etc/pf.conf, /usr/local/bin/tuist-pf-runners,
#   /Library/LaunchDaemons/dev.tuist.pfctl-runners.plist, /var/log/tuist-pfctl-runners.log
# undo: sudo launchctl bootout system/dev.tuist.pfctl-runners; remove the files and the marked block of /etc/pf.conf;
#   sudo pfctl -a com.apple/tuist.runners -F rules; sudo pfctl -a tuist.runners -F rules
: "${in_serviceCidr:=}" "${in_clusterDns:=}" "${in_privateNetworkCidr:=}"

ANCHOR=/etc/pf.anchors/tuist.runners
LOADER=/usr/local/bin/tuist-pf-runners
JOB=dev.tuist.pfctl-runners
TABLES='vm_sources blocked_dst'
# The second is evaluated by macOS' own ruleset, before and after pf.conf is loaded.
SCOPES='tuist.runners com.apple/tuist.runners'

check() {
  assert_addresses
  assert_vm_network
  look_as_root
  anchor_text | file_is $ANCHOR 644 root:wheel || { say 'other rules, or none' && return 1; }
  pf_conf | file_is /etc/pf.conf 644 root:wheel || { say 'pf.conf needs its block' && return 1; }
  loader | file_is $LOADER 755 root:wheel || return 1
  plist | daemon_is $JOB || { say "$JOB is not loaded" && return 1; }
  is_active
}

apply() {
  local scope text
  assert_addresses
  assert_vm_network
  is_done && return 0
  text=$(pf_conf) || fail 'cannot read /etc/pf.conf, without which macOS has no rules'
  put_folders /etc/pf.anchors /usr/local/bin
  anchor_text | put_file $ANCHOR 644 root:wheel || fail "cannot write $ANCHOR"
  is_enabled || pf -E || fail "pf cannot be turned on: $said"
  for scope in $SCOPES; do load_rules "$scope"; done
  say "$text" | put_file /etc/pf.conf 644 root:wheel pfctl -nf || fail 'pf does not take the new /etc/pf.conf; it was left as it is'
  loader | put_file $LOADER 755 root:wheel || fail "cannot write $LOADER"
  plist | daemon_is $JOB || plist | put_daemon $JOB
}

# pf <words>: runs pfctl, which talks much; what it said is in $said.
pf() { said=$(root pfctl "$@" 2>&1); }

# A table that was kept (persist) survives every flush, in the anchor or above it, and makes each load fail as busy.
load_rules() {
  local table
  for table in $TABLES; do
    pf -a "$1" -t "$table" -T kill
    pf -t "$table" -T kill
  done
  pf -a "$1" -f - </dev/null || say "cannot empty $1: $said"
  pf -a "$1" -f $ANCHOR || fail "pf does not load the rules into $1: $said"
}

is_enabled() {
  pf -s info
  case $said in
    *'Status: Enabled'*) return 0 ;;
  esac
  return 1
}

# Loaded in both places, and looked at: the main rules name Apple's anchors.
is_active() {
  local scope
  is_enabled || { say 'pf is off' && return 1; }
  for scope in $SCOPES; do
    has_rules "$scope" || { say "rules are missing in $scope" && return 1; }
    holds "$scope" blocked_dst 10.0.0.0/8 172.16.0.0/12 169.254.0.0/16 || return 1
    holds "$scope" vm_sources 192.168.64.0/22 || return 1
  done
  pf -s rules || fail "pf does not tell its rules: $said"
  case $said in
    *'anchor "com.apple/*"'*) return 0 ;;
  esac
  say 'the running rules do not evaluate com.apple/*'
  return 1
}

# pf tells rules in its own words; these it repeats.
has_rules() {
  local word
  pf -a "$1" -s rules || return 1
  for word in 'block drop in quick from <vm_sources> to <blocked_dst>' \
    'block drop out quick from <vm_sources> to <blocked_dst>' \
    ${in_serviceCidr:+" to $in_serviceCidr port "} ${in_clusterDns:+" to $in_clusterDns port "} \
    ${in_privateNetworkCidr:+" to $in_privateNetworkCidr port "}; do
    case $said in
      *"$word"*) ;;
      *) return 1 ;;
    esac
  done
}

# holds <scope> <table> <address>…
holds() {
  local scope=$1 table=$2 address
  shift 2
  pf -a "$scope" -t "$table" -T show || { say "no table $table in $scope" && return 1; }
  for address in "$@"; do
    case " ${said//[[:space:]]/ } " in
      *" $address "*) ;;
      *) say "$address is not in $table of $scope" && return 1 ;;
    esac
  done
}

# Translation comes before filtering on the way out, so that each rule stands for both ways.
rules() {
  local way
  for way in in out; do
    [ -z "$in_serviceCidr" ] || say "pass $way quick proto tcp from <vm_sources> to $in_serviceCidr port 4000"
    [ -z "$in_clusterDns" ] || say "pass $way quick proto tcp from <vm_sources> to $in_clusterDns port 53"
    [ -z "$in_clusterDns" ] || say "pass $way quick proto udp from <vm_sources> to $in_clusterDns port 53"
    [ -z "$in_privateNetworkCidr" ] ||
      say "pass $way quick proto tcp from <vm_sources> to $in_privateNetworkCidr port 30000:32767"
    say "block drop $way quick from <vm_sources> to <blocked_dst>"
    say "block drop $way quick from <vm_sources> to 169.254.169.254"
  done
}

# 192.168.0.0/16 is not blocked: the machines themselves live there.
anchor_text() {
  say '# What virtual machines may reach. Written by macfleet; changes are lost.'
  say 'table <vm_sources> { 192.168.64.0/22 }'
  say 'table <blocked_dst> { 10.0.0.0/8, 172.16.0.0/12, 169.254.0.0/16 }'
  rules
}

# The file as it should be: everything that is not ours, without line ends of other systems, then our block. A block
# whose end is missing is no block: only its lines that are ours go.
pf_conf() {
  root cat /etc/pf.conf | awk '
    function keep(line) { if (line !~ ours && line !~ /^[ \t]*#.*[Tt]uist/) text = text line "\n" }
    function flush() { for (i = 0; i < held; i++) keep(block[i]); held = 0; inside = 0 }
    BEGIN { ours = "tuist[.]runners|<vm_sources>|<blocked_dst>" }
    { sub(/\r$/, "") }
    /^[ \t]*# BEGIN tuist[.]runners/ { flush(); inside = 1; next }
    inside && /^[ \t]*# END tuist[.]runners/ { held = 0; inside = 0; next }
    inside { block[held++] = $0; next }
    { keep($0) }
    END {
      flush()
      sub(/\n+$/, "\n", text)
      printf "%s", text
      print "# BEGIN tuist.runners"
      print "anchor \"tuist.runners\""
      print "load anchor \"tuist.runners\" from \"/etc/pf.anchors/tuist.runners\""
      print "# END tuist.runners"
    }'
}

# shellcheck disable=SC2016
loader() {
  printf '%s\n' '#!/bin/sh' \
    '# Puts the rules for virtual machines back where they are evaluated. Leaves every other rule alone.' \
    'PATH=/usr/bin:/bin:/usr/sbin:/sbin' \
    'pfctl -s info 2>/dev/null | grep -q "Status: Enabled" || pfctl -E' \
    "for scope in $SCOPES; do" \
    '  pfctl -a "$scope" -s rules 2>/dev/null | grep -q vm_sources ||' \
    "    pfctl -a \"\$scope\" -f $ANCHOR" \
    'done'
}

plist() {
  plist_head $JOB
  plist_strings ProgramArguments $LOADER
  plist_true RunAtLoad
  plist_integer StartInterval 60
  plist_string StandardErrorPath /var/log/tuist-pfctl-runners.log
  plist_end
}

# The rules know virtual machines by where vmnet puts them. Somewhere else nothing would be filtered, and nobody notice (W-34).
assert_vm_network() {
  local address
  address=$(defaults read /Library/Preferences/SystemConfiguration/com.apple.vmnet Shared_Net_Address 2>/dev/null) || return 0
  case $address in
    192.168.6[4-7].*) ;;
    *) fail "virtual machines of this Mac live at $address, where the firewall would not see them" ;;
  esac
}

# What is no address closes nothing and opens nothing: no rule is written.
assert_addresses() {
  local octet='(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])' address
  address="$octet(\\.$octet){3}"
  local cidr="^$address/(3[0-2]|[12]?[0-9])$" plain="^$address$" given
  for given in "$in_serviceCidr" "$in_privateNetworkCidr"; do
    [ -z "$given" ] || [[ $given =~ $cidr ]] || fail 'a network for the firewall is no IPv4 network'
  done
  [ -z "$in_clusterDns" ] || [[ $in_clusterDns =~ $plain ]] || fail "the cluster's DNS is no IPv4 address"
  [ -z "$in_clusterDns" ] || [ -n "$in_serviceCidr" ] || fail "the cluster's DNS cannot be let through without its services"
}
