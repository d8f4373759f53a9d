/** What tests of the runtime share: a kind, a clock that stands still, a MemoryApi and a client on it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createIds } from '../../base/ids.ts';
import { silentLogger } from '../../base/logger.ts';
import { createSeededRandom } from '../../base/random.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { createKubeClient } from '../client/create-client.ts';
import type { Transport } from '../client/transport.ts';
import type { Condition, KubeObject } from '../types/meta.ts';
import type { Resource } from '../types/resource.ts';
import { MemoryApi } from './memory-api.ts';
import { createMemoryTransport, type MemoryTransportOptions } from './memory-transport.ts';

export interface Widget extends KubeObject {
  readonly spec?: { readonly size?: number; readonly serial?: string };
  readonly status?: { readonly built?: number; readonly conditions?: readonly Condition[] };
}

export const WIDGETS: Resource<Widget> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
};

export const WIDGET_COLLECTION = '/apis/example.com/v1/widgets';

export interface HarnessOptions extends MemoryTransportOptions {
  /** Puts something between the client and the API. */
  readonly wrap?: (transport: Transport) => Transport;
}

export const createHarness = (options: HarnessOptions = {}) => {
  const clock = createManualClock();
  const random = createSeededRandom('harness');
  const api = new MemoryApi();
  const direct = createMemoryTransport(api, options);
  const transport = options.wrap?.(direct) ?? direct;
  const client = createKubeClient({ transport, clock, random, logger: silentLogger });
  const stop = new AbortController();

  /** Lets promises settle, moves the clock, lets them settle again. */
  const advance = async (ms: number): Promise<void> => {
    await nextTurn();
    clock.advance(ms);
    await nextTurn();
  };
  const create = (name: string, spec: Widget['spec'] = {}): Promise<Widget> =>
    client.create(WIDGETS, { metadata: { namespace: 'ns', name }, spec }, { signal: stop.signal });
  const resize = (name: string, size: number): Promise<Widget> =>
    client.patch(
      WIDGETS,
      { namespace: 'ns', name },
      { type: 'merge', body: { spec: { size } } },
      { signal: stop.signal },
    );
  const remove = (name: string): Promise<void> =>
    client.delete(WIDGETS, { namespace: 'ns', name }, { signal: stop.signal });

  return { clock, random, ids: createIds(random), api, transport, client, stop, advance, create, resize, remove };
};

export type Harness = ReturnType<typeof createHarness>;
