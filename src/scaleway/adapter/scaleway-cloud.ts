/** The Cloud port on Scaleway's own SDK: which call each verb makes, and what is refused before it is made. */
import { Applesiliconv1alpha1 } from '@scaleway/sdk-applesilicon';
import type { Client, Zone } from '@scaleway/sdk-client';
import { Iamv1alpha1 } from '@scaleway/sdk-iam';
import { abortable } from '../../base/abort.ts';
import type { BackoffPolicy } from '../../base/backoff.ts';
import { backoffDelayMs } from '../../base/backoff.ts';
import { sleep } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type {
  Cloud,
  CloudReads,
  CloudServer,
  CloudWrites,
  Diagnosis,
  ServerOrder,
  ServerRef,
  SshKeys,
  WriteCall,
} from '../port/cloud.ts';
import type { OsImage } from '../port/os-family.ts';
import { isZone, ZONES } from '../port/zones.ts';
import { listAll, PAGE_SIZE } from './list-all.ts';
import { type CloudObserver, describeList } from './observed-cloud.ts';
import { parseAddedKey, parseImage, parseServerType, parseSshKey } from './parse-catalogue.ts';
import { isUuid, parseAccess, parseOneServer, parseServer } from './parse-server.ts';
import { type CallSdk, createSdkCalls, isWorthAnotherLook, type SdkCall, type SdkCallDeps } from './sdk-call.ts';
import { shareFresh } from './share-fresh.ts';

export interface ScalewayCloudDeps extends SdkCallDeps {
  readonly random: Random;
  readonly observer?: Pick<CloudObserver, 'listed'>;
}

const LOOKS = 3;
const LOOK_BACKOFF: BackoffPolicy = { initialMs: 500, factor: 3, maxMs: 5_000, minMs: 100 };
const DIAGNOSIS_EVERY_MS = 2_000;
const DIAGNOSIS_LOOKS = 30;

interface Tools {
  readonly deps: ScalewayCloudDeps;
  readonly call: CallSdk;
  /** A read: asked again when no answer came. */
  readonly look: CallSdk;
}

export const createScalewayCloud = (deps: ScalewayCloudDeps): Cloud => {
  const call = createSdkCalls(deps);
  const tools: Tools = { deps, call, look: (wanted) => lookAgain(deps, () => call(wanted), wanted.signal) };
  const reads = createReads(tools);
  return { ...reads, ...createWrites(tools), ...createSshKeys(tools) };
};

const lookAgain = async <T>(
  { clock, random }: ScalewayCloudDeps,
  look: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await look();
    } catch (error) {
      if (attempt === LOOKS || !isWorthAnotherLook(error)) throw error;
      await sleep(clock, backoffDelayMs(LOOK_BACKOFF, attempt, random), signal);
    }
  }
};

const createReads = (tools: Tools): CloudReads => {
  const { look } = tools;
  const lists = createSharedLists(tools);
  return {
    listServers: (zone, signal) => abortable(lists(zone), signal),
    getServer: async (server, signal) =>
      look(
        serverCall(server, { doing: 'reading', use: 'read', signal }, async (api, ref, askedAtMs) =>
          parseAccess(await api.getServer(ref), server, askedAtMs),
        ),
      ),
    listOsImages: (zone, serverType, signal) => listOsImages(tools, { zone, serverType, signal }),
    listServerTypes: async (zone, signal) => {
      const ask = (client: Client) => new Applesiliconv1alpha1.API(client).listServerTypes({ zone: toZone(zone) });
      const { serverTypes } = await look({ doing: `listing the types of ${zone}`, use: 'read', signal, ask });
      return serverTypes.flatMap((type) => parseServerType(type) ?? []);
    },
    diagnoseServer: (server, signal) => diagnose(tools, server, signal),
  };
};

/** However many ask, one list of a zone is under way at a time. */
const createSharedLists = ({ deps, look }: Tools): ((zone: string) => Promise<readonly CloudServer[]>) => {
  const zones = new Map<string, () => Promise<readonly CloudServer[]>>();
  const { signal } = new AbortController();
  const list = async (zone: string): Promise<readonly CloudServer[]> => {
    const doing = `listing the servers of ${zone}`;
    const { defaultProjectId: projectId } = await deps.credentials.read(signal);
    const fetchPage = async (page: number) => {
      const ask = (client: Client) =>
        new Applesiliconv1alpha1.API(client).listServers({ zone: toZone(zone), projectId, page, pageSize: PAGE_SIZE });
      const { totalCount, servers } = await look({ doing, use: 'read', signal, ask });
      return { totalCount, rows: servers.map((server) => parseServer(server, zone)) };
    };
    const servers = await listAll({ doing, signal, fetchPage, identify: (server) => server?.id });
    deps.observer?.listed(describeList(zone, servers));
    return servers.filter((server) => server !== undefined);
  };
  return (zone) => {
    const shared = zones.get(zone) ?? shareFresh(() => list(zone));
    zones.set(zone, shared);
    return shared();
  };
};

const listOsImages = async (
  { look }: Tools,
  { zone, serverType, signal }: { readonly zone: string; readonly serverType: string; readonly signal: AbortSignal },
): Promise<readonly OsImage[]> => {
  const doing = `listing the images for ${serverType}`;
  const fetchPage = async (page: number) => {
    const ask = (client: Client) =>
      new Applesiliconv1alpha1.API(client).listOS({ zone: toZone(zone), serverType, page, pageSize: PAGE_SIZE });
    const { totalCount, os } = await look({ doing, use: 'read', signal, ask });
    return { totalCount, rows: os };
  };
  const rows = await listAll({ doing, signal, fetchPage, identify: ({ id }) => id });
  return rows.flatMap((row) => parseImage(row) ?? []);
};

const diagnose = async ({ deps, call, look }: Tools, server: ServerRef, signal: AbortSignal): Promise<Diagnosis> => {
  const { diagnosticId } = await call(
    serverCall(server, { doing: 'diagnosing', use: 'read', signal }, (api, ref) =>
      api.startConnectivityDiagnostic(ref),
    ),
  );
  for (let count = 0; count < DIAGNOSIS_LOOKS; count += 1) {
    const ask = (client: Client) =>
      new Applesiliconv1alpha1.API(client).getConnectivityDiagnostic({ zone: toZone(server.zone), diagnosticId });
    const found = await look({ doing: `diagnosing server ${server.id}`, use: 'read', signal, ask });
    if (found.status === 'completed') return toDiagnosis(found);
    if (found.status === 'error') throw noDiagnosis(server, found.errorMessage);
    await sleep(deps.clock, DIAGNOSIS_EVERY_MS, signal);
  }
  throw noDiagnosis(server, 'it never completed');
};

const toDiagnosis = (found: Applesiliconv1alpha1.ConnectivityDiagnostic): Diagnosis => ({
  isHealthy: found.isHealthy,
  isServerAlive: found.healthDetails?.isServerAlive === true,
  isSshPortUp: found.healthDetails?.isSshPortUp === true,
  supportedActions: found.supportedActions,
});

const noDiagnosis = ({ id }: ServerRef, why: string): FleetError =>
  new FleetError('unavailable', { code: 'NoDiagnosis', message: `server ${id} could not be diagnosed: ${why}` });

const createWrites = (tools: Tools): CloudWrites => {
  const write = async (
    server: ServerRef,
    call: WriteCall & { readonly doing: string },
    ask: (api: Applesiliconv1alpha1.API, ref: SdkRef) => Promise<Applesiliconv1alpha1.Server>,
  ): Promise<CloudServer> =>
    parseOneServer(await tools.call(serverCall(server, { ...call, use: 'write' }, ask)), server);
  return {
    renameServer: (server, name, call) =>
      write(server, { ...call, doing: 'renaming' }, (api, ref) => api.updateServer({ ...ref, name })),
    reinstallServer: (server, osId, call) =>
      write(server, { ...call, doing: 'reinstalling' }, (api, ref) =>
        api.reinstallServer(osId === undefined ? ref : { ...ref, osId }),
      ),
    rebootServer: (server, call) => write(server, { ...call, doing: 'rebooting' }, (api, ref) => api.rebootServer(ref)),
    scheduleDeletion: (server, plan, call) =>
      write(server, { ...call, doing: 'scheduling the deletion of' }, (api, ref) =>
        api.updateServer({ ...ref, scheduleDeletion: plan === 'delete' }),
      ),
    terminateServer: (server, call) =>
      tools.call(serverCall(server, { ...call, doing: 'deleting', use: 'write' }, (api, ref) => api.deleteServer(ref))),
    ...createOrders(tools),
  };
};

const createOrders = ({ deps, call }: Tools): Pick<CloudWrites, 'orderServer' | 'orderServers'> => ({
  orderServer: async (order, name, how) => {
    const wanted = await orderOf(deps, order, how.signal);
    const ask = (client: Client) => new Applesiliconv1alpha1.API(client).createServer({ ...wanted, name });
    return parseOrdered(await call({ ...how, doing: `ordering ${name}`, use: 'write', ask }), order.zone);
  },
  orderServers: async (order, names, how) => {
    const wanted = await orderOf(deps, order, how.signal);
    const requests = names.map((name) => ({ name }));
    const ask = (client: Client) => new Applesiliconv1alpha1.API(client).batchCreateServers({ ...wanted, requests });
    const { servers } = await call({ ...how, doing: `ordering ${names.length} servers`, use: 'write', ask });
    return servers.map((server) => parseOrdered(server, order.zone));
  },
});

const parseOrdered = (server: Applesiliconv1alpha1.Server, zone: string): CloudServer => {
  const parsed = parseServer(server, zone);
  if (parsed !== undefined) return parsed;
  throw new FleetError('contract', {
    code: 'StrangeOrder',
    message: 'Scaleway answered an order with a server that has no proper id',
    hint: 'Look at the project: a server may have been ordered.',
  });
};

const orderOf = async (deps: ScalewayCloudDeps, { zone, type, imageId }: ServerOrder, signal: AbortSignal) => ({
  zone: toZone(zone),
  projectId: (await deps.credentials.read(signal)).defaultProjectId,
  type,
  osId: imageId,
  enableVpc: false,
  publicBandwidthBps: 0,
  commitmentType: 'duration_24h' as const,
});

const createSshKeys = ({ deps, call, look }: Tools): SshKeys => {
  const projectOf = async (signal: AbortSignal): Promise<string> =>
    (await deps.credentials.read(signal)).defaultProjectId;
  return {
    listSshKeys: async (name, signal) => {
      const [projectId, doing] = [await projectOf(signal), `listing the SSH keys called ${name}`];
      const fetchPage = async (page: number) => {
        const ask = (client: Client) =>
          new Iamv1alpha1.API(client).listSSHKeys({ name, projectId, page, pageSize: PAGE_SIZE });
        const { totalCount, sshKeys } = await look({ doing, use: 'read', signal, ask });
        return { totalCount, rows: sshKeys };
      };
      const rows = await listAll({ doing, signal, fetchPage, identify: ({ id }) => id });
      return rows.flatMap((row) => parseSshKey(row) ?? []);
    },
    addSshKey: async ({ name, publicKey }, signal) => {
      const projectId = await projectOf(signal);
      const ask = (client: Client) => new Iamv1alpha1.API(client).createSSHKey({ name, publicKey, projectId });
      return parseAddedKey(await call({ doing: `adding the SSH key ${name}`, use: 'write', signal, ask }));
    },
    deleteSshKey: (id, signal) => {
      const ask = (client: Client) => new Iamv1alpha1.API(client).deleteSSHKey({ sshKeyId: assertUuid(id) });
      return call({ doing: `deleting the SSH key ${id}`, use: 'write', signal, ask });
    },
  };
};

interface SdkRef {
  readonly zone: Zone;
  readonly serverId: string;
}

/** The SDK puts zone and id into the path as they are. */
const serverCall = <T>(
  { zone, id }: ServerRef,
  { doing, ...call }: Omit<SdkCall<T>, 'ask'>,
  ask: (api: Applesiliconv1alpha1.API, ref: SdkRef, sentAtMs: number) => Promise<T>,
): SdkCall<T> => {
  const ref = { zone: toZone(zone), serverId: assertUuid(id) };
  return {
    ...call,
    doing: `${doing} server ${id}`,
    ask: (client, sentAtMs) => ask(new Applesiliconv1alpha1.API(client), ref, sentAtMs),
  };
};

const toZone = (zone: string): Zone => {
  if (isZone(zone)) return zone;
  throw new FleetError('invalid', {
    code: 'BadZone',
    message: `"${zone}" is no zone`,
    hint: `Use ${ZONES.join(' or ')}.`,
  });
};

const assertUuid = (id: string): string => {
  if (isUuid(id)) return id;
  throw new FleetError('invalid', { code: 'BadId', message: `"${id}" is no id of Scaleway's`, hint: 'Ids are UUIDs.' });
};
