/** `describe --watch`: the story is told again whenever one of those who tell it, or an event of theirs, has changed. */
import { linkedController } from '../../base/abort.ts';
import { type Clock, pause } from '../../base/clock.ts';
import { isKind, messageOf } from '../../base/errors.ts';
import type { KubeClient, WatchOptions } from '../../kube/client/client.ts';
import { EVENTS } from '../../kube/types/core.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import type { Output } from '../cluster/cluster-flags.ts';
import type { CliIo } from '../io.ts';
import { createRedraw } from '../redraw.ts';
import type { Teller } from './gather.ts';

/** The story as it is at one moment. */
export interface Sight {
  readonly tellers: readonly Teller[];
  /** As of when their events were listed; absent where that is not allowed. */
  readonly eventsVersion: string | undefined;
  /** With so many lines at most; whole without. */
  readonly render: (rowsMax?: number) => Promise<string>;
}

export interface StoryWatch {
  readonly look: () => Promise<Sight>;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly output: Output;
}

/** A person reads no faster. */
const LOOK_EVERY_MS = 500;
const AWAY_PAUSE_MS = 2_000;
const WATCH_SECONDS = 60;

/** Until the person stops it, or the object is gone: neither is a failure. A server that is away for a while is waited for. */
export const watchStory = async (watch: StoryWatch, io: CliIo): Promise<void> => {
  const { clock, output } = watch;
  const isTable = output === 'table' || output === 'wide';
  const redraw = createRedraw(io);
  const draw = isTable ? (text: string) => redraw(text.trimEnd()) : io.stdout;
  let [shown, isFirst] = ['', true];
  while (!io.signal.aborted) {
    const seen = await lookOrSay(watch, isFirst, io);
    if (seen === 'gone') return;
    if (seen !== 'away') {
      const text = await seen.render(isTable && io.isTerminal === true ? io.rows : undefined);
      if (text !== shown) draw(text);
      [shown, isFirst] = [text, false];
    }
    const how = seen === 'away' ? 'away' : await untilChanged(seen, watch, io.signal);
    await pause(clock, how === 'away' ? AWAY_PAUSE_MS : LOOK_EVERY_MS, io.signal);
  }
};

const lookOrSay = async ({ look }: StoryWatch, isFirst: boolean, io: CliIo): Promise<Sight | 'gone' | 'away'> => {
  try {
    return await look();
  } catch (error) {
    if (io.signal.aborted) return 'gone';
    if (isFirst || !isKind(error, 'not-found', 'unavailable', 'throttled')) throw error;
    if (isKind(error, 'not-found')) {
      io.stdout('It is gone.\n');
      return 'gone';
    }
    io.stderr(`waiting for the cluster: ${messageOf(error)}\n`);
    return 'away';
  }
};

/** With the first change after what was seen, or when a watch has ended; `away` when one could not be kept. */
const untilChanged = async (
  { tellers, eventsVersion }: Sight,
  { client }: StoryWatch,
  signal: AbortSignal,
): Promise<'changed' | 'away'> => {
  const life = linkedController(signal);
  const hear = async (resource: Resource<KubeObject>, scope: Scope): Promise<'changed' | 'away'> => {
    try {
      const options = { ...scope, timeoutSeconds: WATCH_SECONDS, signal: life.signal };
      for await (const event of client.watch(resource, options)) if (event.type !== 'BOOKMARK') break;
      return 'changed';
    } catch {
      // What is the matter is told by the next look.
      return 'away';
    }
  };
  const heard = tellers.flatMap(({ resource, object }) => {
    const { name, namespace, uid, resourceVersion = '' } = object.metadata;
    const within = namespace === undefined ? {} : { namespace };
    const own = hear(resource, { ...within, fieldSelector: `metadata.name=${name}`, resourceVersion });
    if (eventsVersion === undefined) return [own];
    return [own, hear(EVENTS, { fieldSelector: `involvedObject.uid=${uid}`, resourceVersion: eventsVersion })];
  });
  const how = await Promise.race(heard);
  life.abort();
  await Promise.all(heard);
  return how;
};

type Scope = Pick<WatchOptions, 'namespace' | 'fieldSelector' | 'resourceVersion'>;
