/** docs/life-of-a-mac.md, from the table of a Mac's life. Pure: the same table gives the same bytes. */
import type { HOST_STATES } from '../../src/kinds/mac-host.ts';
import { HOST_LIFE, type Move, SIGHTS, type Sight } from '../../src/provider/host/host-life.ts';

export const LIFE_PAGE = 'docs/life-of-a-mac.md';

type HostState = (typeof HOST_STATES)[number];

const STATES: Readonly<Record<HostState, { readonly means: string; readonly ends: string }>> = {
  free: { means: 'has a pool name, is ready, and nobody has it', ends: 'a machine claims it' },
  claimed: {
    means: 'a machine has claimed it; its server is being renamed',
    ends: 'the server has the name of the machine, or the claim is dropped',
  },
  preparing: {
    means: 'is being bootstrapped, or its Node is waited for',
    ends: 'its Node is there; or it is rebooted, given back and replaced by another Mac',
  },
  joined: { means: 'is a Node and works', ends: 'it is released, deleted at Scaleway, or its machine vanishes' },
  releasing: { means: 'is to be given back: its agent is stopped, its server renamed', ends: 'the wipe has begun' },
  wiping: { means: 'is being installed anew by Scaleway', ends: 'it is ready; then it gets a pool name' },
  quarantined: {
    means: 'failed three times in a row, or its wipe did not end within an hour, and is kept apart',
    ends: 'a person releases it, or there is a new host configuration',
  },
  held: {
    means: 'nobody has it, and nobody asked for its release: nothing is done to it',
    ends: 'its machine is back, or a person releases it',
  },
  terminating: { means: 'its rent is being ended', ends: 'the server is gone' },
};

const NAMES: Readonly<Record<Sight, string>> = {
  pool: 'a pool name',
  pending: '`tuist-claim-pending-…`',
  machine: 'its machine’s name',
  releasing: '`tuist-releasing-…`',
  quarantine: '`tuist-quarantine-…`',
  ordered: '`tuist-ordered-…`',
  foreign: 'a name that is not ours',
  unseen: 'nothing (once)',
  gone: 'nothing (gone)',
};

const MOVES: Readonly<Record<Move, string>> = {
  rest: 'Nothing is done; only an event can change that.',
  take: 'The server gets a pending name, holds it for a while, then the name of its machine.',
  drop: 'The claim is let go; nothing was done to the server.',
  prepare:
    'Bootstrap, wait for the Node, and help a Mac that does not get there: another try, one reboot, another Mac.',
  tend: 'See that the machine still has it, and reboot it if a person asks.',
  wipe: 'Releasing name, stop the agent, reinstall, until Scaleway was seen to begin.',
  return: 'Wait for the end of the wipe, then a pool name, or a quarantine name for one that keeps failing.',
  seclude: 'See that it has a quarantine name; a new host configuration earns it another try.',
  terminate: 'Delete the server, or have it deleted as soon as its lease allows.',
  keep: 'Leave it as it is; go on if its machine is back.',
  forget: 'Take the record away. Nothing is done to the server.',
  report: 'Touch nothing, and say what is odd in the condition Ready.',
};

export const renderLifePage = (): string => {
  const states = Object.entries(STATES).map(([state, { means, ends }]) => `| **${state}** | ${means} | ${ends} |`);
  const table = Object.entries(HOST_LIFE).map(
    ([state, row]) => `| **${state}** | ${SIGHTS.map((sight) => row[sight]).join(' | ')} |`,
  );
  const moves = Object.entries(MOVES).map(([move, does]) => `| ${move} | ${does} |`);
  return [
    '<!-- Generated from src/provider/host/host-life.ts by "npm run generate". Do not edit: change the table and generate again. -->',
    '',
    '# The life of a Mac',
    '',
    'Every Mac on record is a `MacHost`: `kubectl get machosts -o wide` says where each one is in its life, since when, and what it',
    'waits for. The state is not remembered anywhere: it follows from the record (`spec`), which survives a lost status, a restore and',
    'a change of leader. Only a stored `spec.release` ever starts a wipe; that something is missing never does.',
    '',
    '| state | the Mac … | until |',
    '|---|---|---|',
    ...states,
    '',
    '## What happens next',
    '',
    'The state, and what a live look at the server shows, say what is done. Nothing is done to a server whose name is not one that',
    'the record expects.',
    '',
    `| state | ${SIGHTS.map((sight) => NAMES[sight]).join(' | ')} |`,
    `|---|${SIGHTS.map(() => '---|').join('')}`,
    ...table,
    '',
    '| move | |',
    '|---|---|',
    ...moves,
    '',
  ].join('\n');
};
