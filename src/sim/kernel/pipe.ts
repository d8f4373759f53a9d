/**
 * A stream of bytes between two actors, for watches and response bodies. Each chunk travels as an event of its own: late,
 * in pieces, never, but always in order, as on a TCP connection. Lost or doubled watch events are the server's business.
 */
import { throwIfAborted } from '../../base/abort.ts';
import { unreachable } from './call.ts';
import type { Process } from './engine.ts';
import { createInbox, END } from './inbox.ts';
import type { Site } from './network.ts';
import { createWire, type Item } from './wire.ts';
import { isAlive, type Life, type Wiring } from './wiring.ts';

/** The server's end. After the other end is gone, nothing it does has an effect. */
export interface ByteSink {
  push(chunk: Uint8Array): void;
  /** The peer's iteration ends after what was pushed. */
  end(): void;
  /** The peer's iteration throws `unavailable` after what was pushed. */
  fail(why: string): void;
}

export interface PipeOptions {
  readonly site: string;
  /** The actor that pushes: its death breaks the connection. */
  readonly from?: string;
  readonly signal?: AbortSignal;
  /** Told once, some time after the reader is gone; not when the server itself ended the stream. */
  readonly onHangUp?: () => void;
  /** It is read only after something else has arrived: what is sent by then comes with that, as one packet. */
  readonly isCarried?: boolean;
}

export interface Pipe {
  readonly sink: ByteSink;
  /** One reader. Giving it up with `return()` hangs up. */
  readonly body: AsyncIterableIterator<Uint8Array, undefined>;
}

export const openPipe = (wiring: Wiring, reader: Life, options: PipeOptions): Pipe => {
  const { signal } = options;
  const site = wiring.network.site(options.site, reader.process.name);
  const server = options.from === undefined ? undefined : wiring.process(options.from);
  const inbox = createInbox(() => signal?.removeEventListener('abort', onAbort));
  const wire = createWire({ wiring, reader, site, deliver: inbox.add, isCarried: options.isCarried === true });

  const close = (): boolean => {
    reader.process.closers.delete(hangUp);
    server?.closers.delete(onServerDeath);
    return wire.close();
  };
  const tellServer = (): void => scheduleHangUp({ wiring, site, server, onHangUp: options.onHangUp });
  /** The reader's end closes: given up, aborted, or gone with its process. */
  const hangUp = (): void => {
    if (close()) tellServer();
  };
  const onAbort = (): void => {
    inbox.close({ kind: 'error', error: abortReason(signal) });
    hangUp();
  };
  /** The server's end closes; what is on the wire still arrives. */
  const finish = (item: Item): void => {
    if (wire.isClosed()) return;
    wire.send(item);
    close();
  };
  const breakOff = (why: string): void => finish({ kind: 'error', error: unreachable(site, why) });
  const onServerDeath = (): void => breakOff(`${server?.name} went away`);

  if (isAlive(reader)) reader.process.closers.add(hangUp);
  server?.closers.add(onServerDeath);
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });

  const push = (chunk: Uint8Array): void => {
    if (wire.isClosed() || wire.sendChunk(chunk) === 'sent') return;
    breakOff('the connection broke');
    tellServer();
  };
  return {
    sink: { push, end: () => finish({ kind: 'end' }), fail: breakOff },
    body: {
      next: inbox.take,
      return: () => {
        inbox.close({ kind: 'end' });
        hangUp();
        return Promise.resolve(END);
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    },
  };
};

const abortReason = (signal: AbortSignal | undefined): unknown => {
  try {
    if (signal !== undefined) throwIfAborted(signal);
    return undefined;
  } catch (reason) {
    return reason;
  }
};

interface HangUp {
  readonly wiring: Wiring;
  readonly site: Site;
  readonly server: Process | undefined;
  readonly onHangUp: (() => void) | undefined;
}

const scheduleHangUp = ({ wiring, site, server: owner, onHangUp }: HangUp): void => {
  if (onHangUp === undefined) return;
  wiring.engine.schedule({ delayMs: site.latencyMs(), label: `${site.name} hang-up`, owner, run: onHangUp });
};
