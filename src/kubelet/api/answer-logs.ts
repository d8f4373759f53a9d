/** `/containerLogs/<namespace>/<pod>/<container>`: which log is meant, and why there may be none. */
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { type ApiResponse, text } from './api-message.ts';
import { parseLogOptions } from './logs/log-options.ts';
import { findRun, type LogSource, readRun } from './logs/read-log.ts';

export interface LogParts extends Omit<LogSource, 'vm'> {
  readonly vmOf: (pod: Pod) => string;
}

interface Parts {
  readonly clock: Clock;
  readonly pods: () => readonly Pod[];
  readonly logs: LogParts;
}

interface Asked {
  readonly words: readonly string[];
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
}

export const answerLogs = async (parts: Parts, { words, query, signal }: Asked): Promise<ApiResponse> => {
  const [, namespace, name, container, ...rest] = words.map(decode);
  if (container === undefined || container === '' || rest.length > 0) return text(404, 'no such page');
  const options = parseLogOptions(query, parts.clock.now());
  const pod = parts.pods().find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  if (pod === undefined) return text(404, `pod "${name}" does not exist`);
  if (!pod.spec.containers.some((candidate) => candidate.name === container))
    return text(404, `container "${container}" not found in pod "${name}"`);
  const { vmOf, ...source } = parts.logs;
  const log = { ...source, vm: vmOf(pod) };
  const run = await findRun(log, options.run);
  if (run === undefined) return text(400, explain(pod, container, options.run));
  return { ...{ status: 200, contentType: 'text/plain; charset=utf-8' }, body: readRun(log, { run, options, signal }) };
};

/** In kubelet's words, which people search for. */
const explain = (pod: Pod, container: string, run: 'current' | 'previous'): string => {
  const where = `container "${container}" in pod "${pod.metadata.name}"`;
  if (run === 'previous') return `previous terminated ${where} not found`;
  const { state } = pod.status?.containerStatuses?.find(({ name }) => name === container) ?? {};
  const { waiting, terminated } = state ?? {};
  if (terminated !== undefined) return `${where} is terminated, and its log is not there any more`;
  return `${where} is waiting to start: ${waiting?.reason ?? 'ContainerCreating'}`;
};

/** What is no text stays as it is, and names nothing. */
const decode = (word: string): string => {
  try {
    return decodeURIComponent(word);
  } catch (thrown) {
    return messageOf(thrown);
  }
};
