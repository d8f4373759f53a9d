/** The queue of what is still to happen: a binary heap by virtual time, first in first out at the same time. */

export interface Timed {
  readonly atMs: number;
  /** Grows with every push; ties keep the order in which they were pushed. */
  readonly seq: number;
}

export interface EventHeap<T extends Timed> {
  push(event: T): void;
  peek(): T | undefined;
  pop(): T | undefined;
  /** In no order. */
  forEach(visit: (event: T) => void): void;
}

const isBefore = (left: Timed, right: Timed): boolean =>
  left.atMs < right.atMs || (left.atMs === right.atMs && left.seq < right.seq);

export const createEventHeap = <T extends Timed>(): EventHeap<T> => {
  const events: T[] = [];

  /** Moves the hole at `at` up until `event` may sit in it. */
  const siftUp = (event: T, from: number): void => {
    let at = from;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = events[parentAt];
      if (parent === undefined || isBefore(parent, event)) break;
      events[at] = parent;
      at = parentAt;
    }
    events[at] = event;
  };

  /** Moves the hole at the root down until `event` may sit in it. */
  const siftDown = (event: T): void => {
    let at = 0;
    for (;;) {
      let childAt = 2 * at + 1;
      let child = events[childAt];
      const right = events[childAt + 1];
      if (child !== undefined && right !== undefined && isBefore(right, child)) {
        child = right;
        childAt += 1;
      }
      if (child === undefined || isBefore(event, child)) break;
      events[at] = child;
      at = childAt;
    }
    events[at] = event;
  };

  return {
    push: (event) => siftUp(event, events.length),
    peek: () => events[0],
    forEach: (visit) => {
      for (const event of events) visit(event);
    },
    pop: () => {
      const first = events[0];
      const last = events.pop();
      if (last !== undefined && events.length > 0) siftDown(last);
      return first;
    },
  };
};
