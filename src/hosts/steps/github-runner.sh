# shellcheck shell=bash
# title: A GitHub runner (hosts that build images only)
# what: Installs Homebrew with packer, crane and oras, chooses the Xcode that is there, makes a folder for build caches, and
#   registers the Mac as a self-hosted runner of the organisation, started within the graphical session.
# why: Images are built on such hosts. packer is pinned because macOS ties permissions to its signature; the runner's own
#   way to start (svc.sh start) fails from SSH.
# files: /opt/homebrew/, /opt/tuist-build-cache/, /etc/zshenv, /opt/actions-runner/,
#   ~/Library/LaunchAgents/actions.runner.<org>.<name>.plist
# undo: in /opt/actions-runner ./svc.sh uninstall and ./config.sh remove; remove the folders and the line of /etc/zshenv
: "${in_nodeName:?}" "${in_githubOrg:?}" "${in_runnerLabels:?}" "${in_runnerVersion:?}" "${secret_githubToken:=}"

RUNNER=/opt/actions-runner
CACHE=/opt/tuist-build-cache
XCODE=/Applications/Xcode.app/Contents/Developer
BREW=/opt/homebrew/bin
AGENT_PATH=/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin:/usr/sbin:/sbin
CACHE_LINE="export TUIST_MIX_BUILD_ROOT=$CACHE"

service() { say "actions.runner.$in_githubOrg.$in_nodeName"; }

check() {
  assert_names
  look_as_root
  has_tools || { say 'a tool is missing' && return 1; }
  [ "$(xcode-select -p 2>/dev/null)" = $XCODE ] || { say 'another Xcode is chosen' && return 1; }
  [ "$(stat -f %Su $CACHE 2>/dev/null)" = "$(me)" ] && grep -qxF "$CACHE_LINE" /etc/zshenv 2>/dev/null || return 1
  is_registered || { say "$(service) is not there" && return 1; }
}

apply() {
  assert_names
  is_done && return 0
  has_tools || install_tools
  choose_xcode
  own_folder $CACHE || fail "cannot write $CACHE"
  grep -qxF "$CACHE_LINE" /etc/zshenv 2>/dev/null ||
    { root cat /etc/zshenv 2>/dev/null; say "$CACHE_LINE"; } | put_file /etc/zshenv 644 root:wheel || fail 'cannot write /etc/zshenv'
  is_registered || register
}

own_folder() { put_folders "$1" && root chown "$(me):staff" "$1"; }

assert_names() {
  case $in_githubOrg$in_nodeName in
    *[!A-Za-z0-9.-]*) fail 'the name of the organisation or of the Node is none' ;;
  esac
  case $in_runnerVersion in
    *[!0-9.]*) fail 'the version of the runner is none' ;;
  esac
}

has_tools() { [ -x $BREW/packer ] && [ -x $BREW/crane ] && [ -x $BREW/oras ]; }

install_tools() {
  local url=https://raw.githubusercontent.com/Homebrew/install/HEAD/install.sh
  if [ ! -x $BREW/brew ]; then
    curl -fsSL $url | NONINTERACTIVE=1 /bin/bash || fail 'Homebrew could not be installed'
  fi
  add_packages || fail 'packer, crane and oras could not be installed'
}

add_packages() {
  $BREW/brew tap hashicorp/tap && $BREW/brew install hashicorp/tap/packer crane oras && $BREW/brew pin packer
}

choose_xcode() {
  [ -d $XCODE ] || fail 'there is no Xcode: install it as /Applications/Xcode.app'
  root xcode-select --switch $XCODE || fail 'Xcode could not be chosen'
  xcodebuild -checkFirstLaunchStatus >/dev/null 2>&1 || root xcodebuild -license accept || fail "Xcode's licence is not accepted"
  xcrun --find swift >/dev/null || fail 'Xcode has no swift'
}

is_registered() {
  [ -s $RUNNER/.runner ] && [ -s $RUNNER/.credentials ] && launchctl print "gui/$(id -u)/$(service)" >/dev/null 2>&1
}

register() {
  local plist
  plist=$HOME/Library/LaunchAgents/$(service).plist
  [ -n "$secret_githubToken" ] || fail 'no token to register the runner with was given'
  own_folder $RUNNER || fail "cannot write $RUNNER"
  cd $RUNNER || fail "cannot enter $RUNNER"
  [ -x config.sh ] || download
  ./svc.sh uninstall >/dev/null 2>&1
  launchctl bootout "gui/$(id -u)/$(service)" 2>/dev/null
  rm -f .runner .credentials .credentials_rsaparams .service
  # GitHub's own program reads the token, which is good for an hour, from its arguments or its environment only.
  ACTIONS_RUNNER_INPUT_TOKEN=$secret_githubToken ./config.sh --url "https://github.com/$in_githubOrg" --name "$in_nodeName" \
    --labels "$in_runnerLabels" --work _work --unattended --replace || fail 'GitHub did not register the runner'
  ./svc.sh install "$(me)" || fail 'the job of the runner could not be written'
  say $AGENT_PATH >.path
  launchctl bootstrap "gui/$(id -u)" "$plist" || say 'launchd did not take the runner at once'
  launchctl kickstart -k "gui/$(id -u)/$(service)" || fail 'launchd does not start the runner'
}

download() {
  local name=actions-runner-osx-arm64-$in_runnerVersion.tar.gz
  curl -fsSL "https://github.com/actions/runner/releases/download/v$in_runnerVersion/$name" | tar -xzf - ||
    fail 'the runner could not be downloaded'
}
