/**
 * The life of a Mac as a picture: what is written into its record, and the state that the product's own function reads out of it. No
 * arrow is drawn by hand. Pure.
 */
import type { MacHostSpec } from '../../src/kinds/mac-host.ts';
import { type HostState, hostStateOf } from '../../src/provider/host/host-life.ts';

/** What the state follows from. */
interface Record {
  readonly spec: MacHostSpec;
  readonly node: 'there' | 'absent';
}

interface Event {
  readonly says: string;
  readonly change: { readonly spec?: object; readonly node?: Record['node'] };
}

const MACHINE = 'mac-1';
const claimRef = { namespace: 'fleet', name: MACHINE, uid: '1' };
const release = { intentID: 'a', policy: 'pool', reason: 'MachineDeleted', requestedAt: '2026-01-01T00:00:00Z' };
const reinstall = { intentID: 'a', acceptedAt: '2026-01-01T00:00:00Z' };
const CLAIMED = { claimRef };
const NAMED = { ...CLAIMED, assignedName: { current: MACHINE } };
const RELEASED = { ...NAMED, release };

const at = (spec: object, node: Record['node'] = 'absent'): Record => ({
  spec: parseSpec({ pool: { prefix: 'tuist-pool-' }, ordered: false, ...spec }),
  node,
});

/** As much of a record as its state follows from. */
const parseSpec = (spec: object): MacHostSpec => spec as MacHostSpec;

const NOBODYS = { claimRef: undefined, assignedName: undefined, release: undefined, reinstall: undefined };
const BY_A_PERSON: Event = { says: 'a person releases it', change: { spec: { release } } };

/** A record, and what may be written into it next. */
const STORIES: readonly (readonly [Record, readonly Event[]])[] = [
  [at({}), [{ says: 'a machine claims it', change: { spec: CLAIMED } }]],
  [
    at(CLAIMED),
    [
      { says: 'its server has the name of the machine', change: { spec: NAMED } },
      { says: 'the claim is dropped', change: { spec: NOBODYS } },
    ],
  ],
  [
    at(NAMED),
    [
      { says: 'its Node is there', change: { node: 'there' } },
      { says: 'it does not get there, and is given back', change: { spec: { release } } },
    ],
  ],
  [
    at(NAMED, 'there'),
    [
      { says: 'its Node is gone', change: { node: 'absent' } },
      { says: 'its machine is deleted', change: { spec: { release } } },
      { says: 'its machine vanished unasked', change: { spec: { hold: { reason: 'OwnerVanished' } } } },
      { says: 'its rent is to end', change: { spec: { release: { ...release, policy: 'terminate' } } } },
    ],
  ],
  [at(RELEASED), [{ says: 'Scaleway was seen to begin the wipe', change: { spec: { reinstall } } }]],
  [
    at({ ...RELEASED, reinstall }),
    [
      { says: 'it is wiped, and has a pool name', change: { spec: NOBODYS } },
      {
        says: 'it failed for the third time',
        change: { spec: { ...NOBODYS, quarantine: { reason: 'KeepsFailing' } } },
      },
    ],
  ],
  [at({ quarantine: { reason: 'KeepsFailing' } }), [BY_A_PERSON]],
  [
    at({ ...NAMED, hold: { reason: 'OwnerVanished' } }, 'there'),
    [{ says: 'its machine is back', change: { spec: { hold: undefined } } }, BY_A_PERSON],
  ],
];

export interface Arrow {
  readonly from: HostState;
  readonly to: HostState;
  readonly says: string;
}

export const LIFE_ARROWS: readonly Arrow[] = STORIES.flatMap(([{ spec, node }, events]) =>
  events.map(({ says, change }) => ({
    from: hostStateOf(spec, node),
    to: hostStateOf(parseSpec({ ...spec, ...change.spec }), change.node ?? node),
    says,
  })),
);

/** For GitHub, which draws it. */
export const renderLifePicture = (): string =>
  [
    '```mermaid',
    'stateDiagram-v2',
    '  [*] --> free',
    ...LIFE_ARROWS.map(({ from, to, says }) => `  ${from} --> ${to}: ${says}`),
    '  terminating --> [*]',
    '```',
  ].join('\n');
