/** The Kubernetes client on any Transport: what client.ts promises, put together from its parts. */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import type { KubeObject } from '../types/meta.ts';
import { parseCreated, parseJson, parseJsonOrText, parseObject, parseObjectUnlessStatus, parsePage } from './body.ts';
import { type Call, type CallOptions, createCaller, type ResponseInfo } from './call.ts';
import type { KubeClient, WatchSeconds, WriteOptions } from './client.ts';
import { listPages } from './list-pages.ts';
import { toCreate, toDelete, toGet, toPage, toPatch, toSubresource, toUpdate, toWatch } from './requests.ts';
import { DEFAULT_RETRY_POLICY } from './retry.ts';
import type { Transport } from './transport.ts';
import { readWatchEvents } from './watch-stream.ts';

export interface KubeClientOptions extends CallOptions {
  /** In whose name fields are owned, unless a call says otherwise. */
  readonly fieldManager: string;
  /** Objects per page of a list, unless a call says otherwise. */
  readonly pageSize: number;
  /** Of caches on this client; theirs unless given. */
  readonly watchSeconds?: WatchSeconds;
}

const DEFAULT_CLIENT_OPTIONS: KubeClientOptions = {
  userAgent: 'macfleet',
  host: '',
  timeoutMs: 30_000,
  requestsInFlightMax: 16,
  retry: DEFAULT_RETRY_POLICY,
  fieldManager: 'macfleet',
  pageSize: 500,
};

export interface KubeClientDeps {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly onResponse?: (info: ResponseInfo) => void;
  readonly options?: Partial<KubeClientOptions>;
}

/** Cheap: whoever must not queue behind others (the leader's lease) takes a client of its own on the same transport. */
export const createKubeClient = (deps: KubeClientDeps): KubeClient => {
  const options = { ...DEFAULT_CLIENT_OPTIONS, ...deps.options };
  const caller = createCaller({ ...deps, random: deps.random.stream('kube-client'), options });
  const ours = (write: WriteOptions): WriteOptions => ({ fieldManager: options.fieldManager, ...write });

  const callForJson = async (call: Call): Promise<unknown> => parseJson(await caller.call(call), call.doing);
  const callForObject = async <T extends KubeObject>(call: Call): Promise<T> =>
    parseObject<T>(await callForJson(call), call.doing);

  return {
    ...(options.watchSeconds && { watchSeconds: options.watchSeconds }),
    get: async (resource, key, { signal }) => callForObject(toGet(resource, key, signal)),
    list: async (resource, listOptions) =>
      listPages(async (continueToken) => {
        const limit = listOptions.pageSize ?? options.pageSize;
        const call = toPage(resource, listOptions, { limit, continue: continueToken });
        return parsePage(await callForJson(call), call.doing, listOptions.transform);
      }),
    watch: (resource, watchOptions) =>
      readWatchEvents(`watching ${resource.plural}`, () => caller.open(toWatch(resource, watchOptions))),
    create: async (resource, object, write) => {
      const call = toCreate(resource, object, ours(write));
      return parseCreated(await callForJson(call), object, call.doing);
    },
    update: async (resource, object, write) => callForObject(toUpdate(resource, object, ours(write))),
    patch: async (resource, key, patch, write) => callForObject(toPatch(resource, { key, patch }, ours(write))),
    delete: async (resource, key, deletion) => {
      await caller.call(toDelete(resource, key, deletion));
    },
    getRaw: async (path, { signal }) =>
      parseJsonOrText(await caller.call({ method: 'GET', path, doing: `getting ${path}`, repetition: 'read', signal })),
    createSubresource: async (resource, key, request) =>
      parseObjectUnlessStatus(await callForJson(toSubresource(resource, key, request)), request.body),
  };
};
