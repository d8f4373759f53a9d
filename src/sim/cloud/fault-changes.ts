/** Faults that are no answer but a change of the truth: of one server, or of what the whole project meets. */
import type { SshKey } from '../../scaleway/port/cloud.ts';
import { createCatalogue, newestOf } from './catalogue.ts';
import { type CloudCore, change, known, type ReinstallFate, removeServer } from './cloud-core.ts';
import { keepBusy, shutDown, startReinstall } from './installs.ts';
import { addServer } from './orders.ts';
import type { SimServer } from './sim-server.ts';

export interface ServerFault {
  readonly on: (core: CloudCore, id: string) => void;
  /** Absent where a person would have to mend it. */
  readonly off?: (core: CloudCore, id: string) => void;
}

export interface ProjectFault {
  readonly on: (core: CloudCore) => void;
  readonly off?: (core: CloudCore) => void;
}

const fate = (wanted: ReinstallFate): ServerFault => ({
  on: ({ state }, id) => void state.fates.set(id, wanted),
  off: ({ state }, id) => void state.fates.delete(id),
});

const busy = (status: SimServer['status']): ServerFault => ({ on: (core, id) => keepBusy(core, id, status) });

const WEEKS_MS = 3 * 7 * 24 * 3_600_000;
const LIST_LAG_MS = 60_000;

export const SERVER_FAULTS: Readonly<Record<string, ServerFault>> = {
  F08: { on: (core, id) => void startReinstall(core, known(core, id), undefined) },
  F09: busy('updating'),
  F09b: busy('busy'),
  F09c: busy('locking'),
  F09d: busy('unlocking'),
  F09e: busy('starting'),
  F10: {
    on: (core, id) => void change(core, id, { status: 'locked' }),
    off: (core, id) => void change(core, id, { status: 'ready' }),
  },
  F11: {
    on: (core, id) => {
      removeServer(core, id);
      core.state.deleted.delete(id);
    },
  },
  F18c: {
    on: (core, id) => void change(core, id, { isSealed: true }),
    off: (core, id) => void change(core, id, { isSealed: false }),
  },
  F20: fate('never-ends'),
  F21: fate('ends-in-error'),
  F21b: fate('other-image'),
  F22: {
    on: (core, id) => {
      const image = newestOf(core.catalogue, 'DevOS');
      if (image !== undefined) change(core, id, { osId: image.id, osFamily: image.family });
    },
  },
  F23: fate('disk-kept'),
  F24: {
    on: (core, id) => {
      const other = [...core.state.servers.values()].find((server) => server.id !== id);
      const { address } = known(core, id);
      if (other === undefined) return;
      change(core, id, { address: other.address });
      change(core, other.id, { address });
    },
  },
  F26: { on: (core, id) => void change(core, id, { deletableAtMs: core.clock.now() + WEEKS_MS * core.timeScale }) },
  F26b: { on: (core, id) => void change(core, id, { deletableAtMs: core.clock.now() }) },
  F29: { on: (core, id) => void change(core, id, { name: RENAMED_BY_PERSON }) },
  F30: {
    on: ({ state }, id) => void state.stuckReboots.add(id),
    off: ({ state }, id) => void state.stuckReboots.delete(id),
  },
  F32: { on: (core, id) => shutDown(core, known(core, id)) },
};

/** What a person calls a server (F29). */
export const RENAMED_BY_PERSON = 'renamed-by-a-person';

/** Another cluster's server in the same project, under a name of the shape that ours have. */
const FOREIGN_NAME = 'tuist-releasing-0badc0de-00000000-0000-4000-8000-000000000028';

/** Registered when the Macs were installed already: none of them lets it in before a reboot by the API. */
const LATE_KEY: SshKey = {
  id: '00000000-0000-4000-8000-000000000031',
  name: 'registered-late',
  publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA registered-late',
};

export const PROJECT_FAULTS: Readonly<Record<string, ProjectFault>> = {
  F15: {
    on: ({ state, timeScale }) => void Object.assign(state, { listLagMs: LIST_LAG_MS * timeScale }),
    off: ({ state }) => void Object.assign(state, { listLagMs: 0 }),
  },
  F27: {
    on: ({ catalogue }) => {
      for (const type of catalogue.types) type.stock = 'no_stock';
    },
    off: ({ catalogue }) => {
      for (const type of catalogue.types) type.stock = 'high_stock';
    },
  },
  F27b: {
    on: ({ catalogue }) => {
      for (const type of catalogue.types) type.quota = 0;
    },
    off: ({ catalogue }) => {
      for (const { name, quota } of createCatalogue().types) {
        const type = catalogue.types.find((sold) => sold.name === name);
        if (type !== undefined) type.quota = quota;
      }
    },
  },
  F28: {
    on: (core) => {
      const [image] = core.catalogue.images;
      if (image !== undefined) {
        addServer(core, { name: FOREIGN_NAME, type: 'M2-L', zone: core.zone, image, status: 'ready' });
      }
    },
  },
  F31: {
    on: ({ state }) => void state.sshKeys.set(LATE_KEY.id, LATE_KEY),
    off: ({ state }) => void state.sshKeys.delete(LATE_KEY.id),
  },
  F33: {
    on: ({ catalogue }) => retire(catalogue.images, 'Tahoe'),
    off: ({ catalogue }) => void catalogue.images.splice(0, Number.POSITIVE_INFINITY, ...createCatalogue().images),
  },
};

/** Takes the newest image of a family off the list, as Scaleway does with point releases. */
const retire = (images: { readonly family: string }[], family: string): void => {
  const at = images.findLastIndex((image) => image.family === family);
  if (at >= 0) images.splice(at, 1);
};
