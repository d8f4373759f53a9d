/** What takes a Mac down for a while: reinstalls with all their fates, reboots, and how both go on after a restart. */
import { type CatalogueImage, defaultImage } from './catalogue.ts';
import {
  announce,
  type CloudCore,
  change,
  drawPassword,
  type ReinstallFate,
  startWork,
  turnOff,
  turnOn,
} from './cloud-core.ts';
import { armDeletion } from './deletions.ts';
import { forbiddenChange, invalidArgument, locked, transientState } from './refusals.ts';
import { isTransient, type SimServer } from './sim-server.ts';

const assertTakesOrders = (server: SimServer): void => {
  if (server.status === 'locked') throw locked(server);
  if (isTransient(server)) throw transientState(server);
};

/** The image of that id for that type, or the type's default. */
export const findImage = ({ catalogue }: CloudCore, type: string, osId: string | undefined): CatalogueImage => {
  const image =
    osId === undefined
      ? defaultImage(catalogue, type)
      : catalogue.images.find(({ id, types }) => id === osId && types.includes(type));
  if (image === undefined) throw invalidArgument('os_id', 'is no image for this type of server');
  return image;
};

export const startReboot = (core: CloudCore, server: SimServer): SimServer => {
  assertTakesOrders(server);
  const { id } = server;
  if (core.state.stuckReboots.delete(id)) {
    startWork(core, id, { takes: 'rebootMs', finish: () => void change(core, id, { status: 'ready' }) });
    return change(core, id, { status: 'rebooting' });
  }
  const down = turnOff(core, id, 'rebooting');
  startWork(core, id, { takes: 'rebootMs', finish: () => turnOn(core, id) });
  return down;
};

/** The Mac goes down, which the API does not notice, and comes back by itself after a while (F32). */
export const shutDown = (core: CloudCore, server: SimServer): void => {
  announce(core, { kind: 'down', server });
  startWork(core, server.id, {
    takes: 'outageMs',
    finish: () => announce(core, { kind: 'up', server: change(core, server.id, {}) }),
  });
};

export const startReinstall = (core: CloudCore, server: SimServer, osId: string | undefined): SimServer => {
  const image = findImage(core, server.type, osId);
  assertTakesOrders(server);
  if (server.osFamily === 'DevOS') throw forbiddenChange('a server with DevOS cannot be reinstalled');
  if ((server.osFamily === 'Linux') !== (image.family === 'Linux')) {
    throw forbiddenChange('macOS and Linux cannot be exchanged by a reinstall');
  }
  const { fates } = core.state;
  const fate = fates.get(server.id) ?? 'wiped';
  fates.delete(server.id);
  const down = turnOff(core, server.id, 'reinstalling');
  if (fate === 'never-ends') return down;
  const finish = (): void => finishReinstall(core, down, { fate, image });
  startWork(core, server.id, { takes: 'reinstallMs', finish });
  return down;
};

const finishReinstall = (
  core: CloudCore,
  { id, type, wipes, fakedWipes }: SimServer,
  { fate, image }: { readonly fate: ReinstallFate; readonly image: CatalogueImage },
): void => {
  if (fate === 'ends-in-error') {
    change(core, id, { status: 'error' });
    return;
  }
  if (fate === 'disk-kept') change(core, id, { fakedWipes: fakedWipes + 1 });
  else {
    const other = core.catalogue.images.find(({ family, types }) => family !== image.family && types.includes(type));
    const { id: osId, family: osFamily } = fate === 'other-image' ? (other ?? image) : image;
    const fresh = { osId, osFamily, wipes: wipes + 1, password: drawPassword(core), isSealed: false };
    announce(core, { kind: 'wiped', server: change(core, id, fresh) });
  }
  turnOn(core, id);
};

/** Goes on with what was under way when the process of an earlier simulation ended. */
export const resume = (core: CloudCore, server: SimServer): void => {
  const { id, status, osId, isDeletionScheduled } = server;
  const image = core.catalogue.images.find((known) => known.id === osId) ?? defaultImage(core.catalogue, server.type);
  if (status === 'reinstalling' && image !== undefined) {
    const finish = (): void => finishReinstall(core, server, { fate: 'wiped', image });
    startWork(core, id, { takes: 'reinstallMs', finish });
  } else if (isTransient(server)) startWork(core, id, { takes: 'rebootMs', finish: () => turnOn(core, id) });
  if (isDeletionScheduled) armDeletion(core, server);
};

/** Busy with something of its own for as long as a reboot takes; the Mac stays up (F09). */
export const keepBusy = (core: CloudCore, id: string, status: SimServer['status']): void => {
  change(core, id, { status });
  startWork(core, id, { takes: 'rebootMs', finish: () => void change(core, id, { status: 'ready' }) });
};
