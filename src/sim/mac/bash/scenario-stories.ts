/** The prepared situations of a Mac by name, each in a line for a person; apart from what they are made of, which no help needs. */
export const MAC_SCENARIO_STORIES = {
  'pf-wedged': 'tables that stayed in pf keep every new rule out: Resource busy',
  sealed: 'auto-login was set up with a wrong password: loginwindow sealed it',
  'loginwindow-dead': 'loginwindow was sent SIGHUP and does not come back',
  'btm-throttled': 'launchd holds back jobs that were registered too often',
  'account-locked': 'too many wrong passwords: PAM lets nobody become root',
  'keys-forgotten': "the key files are a former tenant's: nobody of ours gets in",
  'sshd-stuck': 'port 22 takes no more connections until sshd is loaded again',
  'clock-behind': 'its clock is three hours behind',
  'disk-full': 'no room for anything that is uploaded or installed',
  'keychain-closed': 'the login keychain has a former password: no login opens it, and no VM starts',
  'local-network-blocked': 'a dialogue that nobody answers keeps programs from virtual machines',
  'cache-volume-read-only': 'the volume for caches came up read-only at the last boot',
  'uplink-broken': 'its interface is up, and neither names nor ways lead to the cluster',
  'addresses-gone': 'so many virtual machines were started today that none gets an address',
  'read-only-etc': '/etc cannot be written',
  'go-fleet-leftovers': 'the Go original worked here for months and nobody wiped the Mac',
} as const;

export type MacScenarioName = keyof typeof MAC_SCENARIO_STORIES;

export const isMacScenario = (name: string): name is MacScenarioName => Object.hasOwn(MAC_SCENARIO_STORIES, name);
