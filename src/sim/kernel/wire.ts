/** The way of a pipe's items from one end to the other: late, broken or in pieces, but in order. */
import type { Site } from './network.ts';
import type { Life, Wiring } from './wiring.ts';

/** How an iteration goes on: a chunk, the end, or an error. */
export type Item =
  | { readonly kind: 'chunk'; readonly chunk: Uint8Array }
  | { readonly kind: 'end' }
  | { readonly kind: 'error'; readonly error: unknown };

export interface WireDeps {
  readonly wiring: Wiring;
  readonly reader: Life;
  readonly site: Site;
  readonly deliver: (item: Item) => void;
  /** Nobody reads before something else has arrived, and what is sent by then comes with that. */
  readonly isCarried: boolean;
}

export interface Wire {
  send(item: Item): void;
  /** Draws this chunk's fault; `broken` when the connection broke inside it. */
  sendChunk(chunk: Uint8Array): 'sent' | 'broken';
  isClosed(): boolean;
  /** True the first time. */
  close(): boolean;
}

export const createWire = ({ wiring, reader, site, deliver, isCarried }: WireDeps): Wire => {
  const { engine } = wiring;
  const packets = createPackets();
  let lastArrivalMs = 0;
  let closed = false;

  /** Events of the same time may be swapped, so an arrival takes the oldest packet and not its own. */
  const arrive = (): void => {
    for (const item of packets.takeOldest()) deliver(item);
  };
  const send = (item: Item): void => {
    if (isCarried && lastArrivalMs === 0) {
      deliver(item);
      return;
    }
    const nowMs = engine.nowMs;
    lastArrivalMs = Math.max(lastArrivalMs, nowMs + site.latencyMs());
    if (packets.add(item, lastArrivalMs) === 'joined') return;
    const { process: owner, epoch } = reader;
    engine.schedule({ delayMs: lastArrivalMs - nowMs, label: `${site.name} ${item.kind}`, owner, epoch, run: arrive });
  };
  const sendPart = (chunk: Uint8Array): void => {
    if (chunk.length > 0) send({ kind: 'chunk', chunk });
  };
  return {
    send,
    sendChunk: (chunk) => {
      const fault = site.streamFault();
      if (fault === undefined) {
        sendPart(chunk);
        return 'sent';
      }
      if (fault === 'freeze') {
        lastArrivalMs = Math.max(lastArrivalMs, engine.nowMs + site.lateMs);
        sendPart(chunk);
        return 'sent';
      }
      const breakAt = site.breakAt(chunk.length);
      sendPart(chunk.subarray(0, breakAt));
      if (fault === 'cut') return 'broken';
      sendPart(chunk.subarray(breakAt));
      return 'sent';
    },
    isClosed: () => closed,
    close: () => {
      const isFirst = !closed;
      closed = true;
      return isFirst;
    },
  };
};

/** What is on the way: an item that arrives at the same time as the one before it shares its packet. */
const createPackets = (): {
  add(item: Item, atMs: number): 'joined' | 'first';
  takeOldest(): readonly Item[];
} => {
  const packets: Item[][] = [];
  let newestMs = 0;
  return {
    add: (item, atMs) => {
      const newest = packets.at(-1);
      if (newest !== undefined && newestMs === atMs) {
        newest.push(item);
        return 'joined';
      }
      newestMs = atMs;
      packets.push([item]);
      return 'first';
    },
    takeOldest: () => packets.shift() ?? [],
  };
};
