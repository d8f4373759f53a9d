/** The hook before a stop: asked while the guest still has its grace. What it fails at is said; the stop goes on. */
import { messageOf } from '../../../base/errors.ts';
import { PODS } from '../../../kube/types/core.ts';
import type { PodPorts } from '../pod-ports.ts';
import { type AskHandler, askHandler } from './ask-handler.ts';

export const runPreStop = async (ports: PodPorts, ask: AskHandler): Promise<void> => {
  const { pod, vm, signal } = ask;
  const failure = await askHandler(ports, ask).catch(messageOf);
  if (failure === undefined || signal.aborted) return;
  ports.logger.warn('The preStop hook of a Pod failed', { vm, failure });
  // Without the words of the guest, as a kubelet says it: there may be secrets among them.
  const message = 'PreStopHook failed';
  ports.events.publish(PODS, pod, [{ type: 'Warning', reason: 'FailedPreStopHook', message }]);
};
