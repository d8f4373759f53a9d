/** The reader's end of a pipe: what has arrived, handed out one by one. */
import type { Item } from './wire.ts';

type Next = IteratorResult<Uint8Array, undefined>;

export const END: Next = { done: true, value: undefined };

export interface Inbox {
  add(item: Item): void;
  /** Forgets what was not read; only this is left to read. */
  close(item: Item): void;
  take(): Promise<Next>;
}

/** What has arrived and was not read yet. `onOver` is called when there will be nothing more to read. */
export const createInbox = (onOver: () => void): Inbox => {
  const items: Item[] = [];
  let wakeReader: ((next: Next | PromiseLike<Next>) => void) | undefined;
  let isOver = false;

  const read = (): Next | Promise<Next> | undefined => {
    if (isOver) return END;
    const item = items.shift();
    if (item === undefined) return undefined;
    if (item.kind === 'chunk') return { done: false, value: item.chunk };
    isOver = true;
    onOver();
    return item.kind === 'end' ? END : Promise.reject(item.error);
  };
  const add = (item: Item): void => {
    if (isOver) return;
    items.push(item);
    if (wakeReader === undefined) return;
    wakeReader(read() ?? END);
    wakeReader = undefined;
  };
  return {
    add,
    close: (item) => {
      items.length = 0;
      add(item);
    },
    take: async () =>
      read() ??
      (await new Promise<Next>((resolve) => {
        wakeReader = resolve;
      })),
  };
};
