/** What a person can let happen to a simulated Mac, whichever kind it is; a row of the fault list each. */
export const MAC_FAULT_STORIES = {
  reboot: 'it restarts, and nobody asked for it (F54)',
  'ssh-refused': 'the next connections are refused (F34)',
  'ssh-banned': 'connections of ours are refused until it boots (F40)',
  'ssh-cut': 'the connection breaks after the next command (F35)',
  'host-key-changed': 'it shows another host key, without a wipe (F38)',
  'keys-forgotten': 'no key of ours opens it any more (F41)',
  'pf-wedged': 'pf takes no new rules: Resource busy (F46)',
} as const;

export type MacFaultId = keyof typeof MAC_FAULT_STORIES;

/** Does each to one Mac; the count is how often, where that makes sense. */
export type MacFaultSwitches = Readonly<Record<MacFaultId, (count: number) => void>>;

export const isMacFault = (name: string): name is MacFaultId => Object.hasOwn(MAC_FAULT_STORIES, name);
