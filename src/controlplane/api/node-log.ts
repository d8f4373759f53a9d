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

/** Pushes the log into the sink until it ends; answers how to stop. */
export type NodeLog = (sink: ByteSink) => () => void;

/** Settles when the agent has begun to answer; rejects with an ApiRefusal that says why there is no log. */
export type OpenNodeLog = (request: NodeLogRequest) => Promise<NodeLog>;
