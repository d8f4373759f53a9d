/** Watch streams that stay silent until the events are released, then send them as fast as the socket takes them. */
import type { ServerResponse } from 'node:http';

export interface Watches {
  open(response: ServerResponse): void;
  /** Lets the events go, once: to the watch that is open, or to the next one. */
  release(): void;
}

/** Some twenty events at once, cut without regard to where one ends. */
const WRITE_BYTES = 64 * 1024;

export const createWatches = (events: Buffer): Watches => {
  const open = new Set<ServerResponse>();
  let isReleased = false;

  const deliver = (): void => {
    const [response] = open;
    if (!isReleased || response === undefined) return;
    isReleased = false;
    push(response, events);
  };

  return {
    open: (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
      open.add(response);
      response.once('close', () => open.delete(response));
      deliver();
    },
    release: () => {
      isReleased = true;
      deliver();
    },
  };
};

const push = (response: ServerResponse, bytes: Buffer): void => {
  let sent = 0;
  const pushMore = (): void => {
    while (sent < bytes.length && !response.destroyed) {
      const part = bytes.subarray(sent, sent + WRITE_BYTES);
      sent += part.length;
      if (!response.write(part)) {
        response.once('drain', pushMore);
        return;
      }
    }
  };
  pushMore();
};
