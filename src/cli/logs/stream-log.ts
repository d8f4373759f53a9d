/** The log of one Pod as its Node tells it, as it comes: no deadline, because a log may be silent for hours. */
import type { Clock } from '../../base/clock.ts';
import { readBody } from '../../kube/client/body.ts';
import { objectPath, withQuery } from '../../kube/client/paths.ts';
import { toStatusError } from '../../kube/client/status-error.ts';
import type { Transport } from '../../kube/client/transport.ts';
import { PODS } from '../../kube/types/core.ts';
import { keyOf, renderKey } from '../../kube/types/meta.ts';
import type { Pod } from '../../kube/types/pod.ts';

export interface LogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly container?: string;
  readonly tail?: number;
  readonly since?: number;
}

interface LogSource {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Text in pieces that end anywhere, but never inside a character. */
export async function* streamLog(pod: Pod, options: LogOptions, source: LogSource): AsyncGenerator<string> {
  const key = keyOf(pod);
  const { transport, clock, signal } = source;
  const path = withQuery(objectPath(PODS, key, 'log'), {
    container: options.container,
    ...(options.follow ? { follow: 'true' } : {}),
    ...(options.previous ? { previous: 'true' } : {}),
    ...(options.timestamps ? { timestamps: 'true' } : {}),
    tailLines: options.tail,
    sinceSeconds: options.since,
  });
  const doing = `reading the log of pods ${renderKey(key)}`;
  const response = await transport.send({ method: 'GET', path, headers: { accept: '*/*' }, signal });
  if (response.status >= 300) {
    const body = (await readBody(response.body, doing)).toString('utf8');
    const { status, headers } = response;
    throw toStatusError({ doing, status, headers, body, expiredCode: 'Expired', nowMs: clock.now() });
  }
  const decoder = new TextDecoder();
  for await (const chunk of response.body) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
