/** What the API server serves, encoded once: all objects side by side in one buffer, so that a page is a slice of it. */

import { collectionPath, objectPath } from '../../src/kube/client/paths.ts';
import { apiVersionOf } from '../../src/kube/types/resource.ts';
import type { ApiLoad } from './address.ts';
import { keyOfMac, MACS, renderMac } from './macs.ts';

export interface Content {
  readonly collectionPath: string;
  /** The parts of a page of the list. */
  page(page: { readonly from: number; readonly limit: number }): readonly Buffer[];
  /** The object at this path. */
  object(path: string): readonly Buffer[] | undefined;
  /** All events of the watch, a line each. */
  readonly events: Buffer;
}

/** What the list was taken at; events come after it. */
const LIST_REVISION = 5_000_000;

export const createContent = ({ objects, events }: ApiLoad): Content => {
  const encoded = Array.from({ length: objects }, (_, at) => Buffer.from(renderMac(at, LIST_REVISION - objects + at)));
  const all = Buffer.concat(encoded.flatMap((object) => [object, Buffer.from(',')]));
  const starts = startsOf(encoded);
  const byPath = new Map(encoded.map((object, at) => [objectPath(MACS, keyOfMac(at)), object]));
  return {
    collectionPath: collectionPath(MACS),
    page: ({ from, limit }) => {
      const to = Math.min(objects, from + limit);
      const items = all.subarray(starts[from] ?? 0, (starts[to] ?? 1) - 1);
      return [Buffer.from(renderListStart(to, objects)), ...(to > from ? [items] : []), Buffer.from(']}')];
    },
    object: (path) => {
      const object = byPath.get(path);
      return object && [object];
    },
    events: encodeEvents({ objects, events }),
  };
};

/** Where each object starts, and where the one behind the last would. */
const startsOf = (encoded: readonly Buffer[]): readonly number[] => {
  const starts = [0];
  for (const { length } of encoded) starts.push((starts.at(-1) ?? 0) + length + 1);
  return starts;
};

const renderListStart = (to: number, objects: number): string => {
  const rest = to < objects ? { continue: String(to), remainingItemCount: objects - to } : {};
  const metadata = JSON.stringify({ resourceVersion: String(LIST_REVISION), ...rest });
  return `{"apiVersion":"${apiVersionOf(MACS)}","kind":"${MACS.kind}List","metadata":${metadata},"items":[`;
};

/** Every object changes in its turn. */
const encodeEvents = ({ objects, events }: ApiLoad): Buffer =>
  Buffer.concat(
    Array.from({ length: events }, (_, at) =>
      Buffer.from(`{"type":"MODIFIED","object":${renderMac(at % objects, LIST_REVISION + 1 + at)}}\n`),
    ),
  );
