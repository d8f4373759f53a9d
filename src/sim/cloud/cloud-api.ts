/** The verbs of the simulated API, as one caller uses them: each takes effect and answers at once, or throws the refusal. */
import { FleetError } from '../../base/errors.ts';
import type { CloudServer, ServerRef } from '../../scaleway/port.ts';
import {
  type AuditEntry,
  announce,
  type CloudCore,
  change,
  drawPassword,
  type ReinstallFate,
  startWork,
  turnOff,
  turnOn,
} from './cloud-core.ts';
import {
  cloudAway,
  invalidArgument,
  isTransient,
  permissionsDenied,
  type SimServer,
  serverNotFound,
  showOne,
  showSealed,
  transientState,
} from './sim-server.ts';

export interface SimCloudApi {
  list(zone: string): readonly CloudServer[];
  get(server: ServerRef): CloudServer;
  rename(server: ServerRef, name: string): CloudServer;
  reinstall(server: ServerRef, osFamily: string): CloudServer;
  reboot(server: ServerRef): CloudServer;
}

export const createCloudApi = (core: CloudCore, caller: string): SimCloudApi => {
  const write = createWrites(core, caller);
  return {
    list: (zone) => {
      assertAnswers(core);
      return [...core.state.servers.values()].filter((server) => server.zone === zone).map(showSealed);
    },
    get: (ref) => {
      assertAnswers(core);
      return showOne(find(core, ref));
    },
    rename: (ref, name) =>
      write({ verb: 'rename', ref, argument: name }, ({ id }) => {
        if (name.trim() === '') throw invalidArgument('name', 'is empty');
        return change(core, id, { name });
      }),
    reinstall: (ref, osFamily) =>
      write({ verb: 'reinstall', ref, argument: osFamily }, (server) => startReinstall(core, server, osFamily)),
    reboot: (ref) =>
      write({ verb: 'reboot', ref, argument: '' }, (server) => {
        if (isTransient(server)) throw transientState(server);
        const down = turnOff(core, server.id, 'rebooting');
        startWork(core, server.id, { takes: 'rebootMs', finish: () => turnOn(core, server.id) });
        return down;
      }),
  };
};

interface WriteRequest {
  readonly verb: AuditEntry['verb'];
  readonly ref: ServerRef;
  readonly argument: string;
}

/** Every write that reaches the API stands in the audit, and no answer to one shows the password. */
const createWrites =
  (core: CloudCore, caller: string) =>
  ({ verb, ref, argument }: WriteRequest, act: (server: SimServer) => SimServer): CloudServer => {
    assertAnswers(core);
    const { audit, servers } = core.state;
    const entry = { atMs: core.clock.now(), caller, verb, serverId: ref.id, argument, before: servers.get(ref.id) };
    try {
      const after = act(find(core, ref));
      audit.push({ ...entry, outcome: 'accepted' });
      return showSealed(after);
    } catch (error) {
      if (error instanceof FleetError) audit.push({ ...entry, outcome: error.code });
      throw error;
    }
  };

const startReinstall = (core: CloudCore, server: SimServer, osFamily: string): SimServer => {
  if (!core.osFamilies.includes(osFamily)) throw invalidArgument('os_id', `names no image of ${osFamily}`);
  if (isTransient(server)) throw transientState(server);
  const { fates } = core.state;
  const fate = fates.get(server.id) ?? 'wiped';
  fates.delete(server.id);
  const down = turnOff(core, server.id, 'reinstalling');
  if (fate === 'never-ends') return down;
  const finish = (): void => finishReinstall(core, down, { fate, osFamily });
  startWork(core, server.id, { takes: 'reinstallMs', finish });
  return down;
};

/** Goes on with what was under way when the process of an earlier simulation ended. */
export const resume = (core: CloudCore, server: SimServer): void => {
  const { id, osFamily, status } = server;
  if (status === 'reinstalling') {
    startWork(core, id, {
      takes: 'reinstallMs',
      finish: () => finishReinstall(core, server, { fate: 'wiped', osFamily }),
    });
  } else if (isTransient(server)) startWork(core, id, { takes: 'rebootMs', finish: () => turnOn(core, id) });
};

const finishReinstall = (
  core: CloudCore,
  { id, wipes }: SimServer,
  { fate, osFamily }: { readonly fate: ReinstallFate; readonly osFamily: string },
): void => {
  if (fate === 'ends-in-error') {
    change(core, id, { status: 'error' });
    return;
  }
  if (fate === 'wiped') {
    const fresh = { osFamily, wipes: wipes + 1, password: drawPassword(core), isSealed: false };
    announce(core, { kind: 'wiped', server: change(core, id, fresh) });
  }
  turnOn(core, id);
};

const find = ({ state }: CloudCore, { id, zone }: ServerRef): SimServer => {
  if (state.deleted.has(id)) throw permissionsDenied(id);
  const server = state.servers.get(id);
  if (server === undefined || server.zone !== zone) throw serverNotFound(id);
  return server;
};

const assertAnswers = ({ state, clock }: CloudCore): void => {
  if (clock.now() < state.awayUntilMs) throw cloudAway();
};
