/** The port to the logs of Pods: whoever composes knows how to reach the agent of a Node over TLS that is verified. */
import type { StoredObject } from '../store/object.ts';
import type { ByteSink } from './http.ts';

export interface NodeLogRequest {
  readonly pod: StoredObject;
  readonly node: StoredObject;
  readonly container: string;
  /** As the agent takes them: follow, tailLines, sinceSeconds, timestamps, … */
  readonly options: URLSearchParams;
}

/** Pushes the log into the sink until it ends; answers how to stop. Failures end up as text in the log. */
export type OpenNodeLog = (request: NodeLogRequest, sink: ByteSink) => () => void;
