/** Who asks: the Pod of a runner by its ServiceAccount's token, or the runners controller. */
import { FleetError, isKind } from '../../base/errors.ts';
import { DISPATCH_AUDIENCE } from '../../kinds/labels.ts';
import type { ApiRequest } from '../http/api-message.ts';
import { drawFault, type FaultyCall } from './faults.ts';
import { refusal, type ServeDeps, type Who } from './route.ts';

interface Shown {
  readonly request: ApiRequest;
  readonly needs: Who['is'];
  readonly call: FaultyCall;
  readonly signal: AbortSignal;
}

export const identify = async (deps: ServeDeps, shown: Shown): Promise<Who> => {
  const { request, needs, call, signal } = shown;
  if (needs === 'anybody') return { is: 'anybody' };
  if (drawFault(deps.core, 'cluster', call) !== undefined) throw refusal(503, 'Kubernetes cannot be reached');
  const token = /^Bearer (.+)$/.exec(request.headers['authorization'] ?? '')?.[1];
  if (token === undefined) throw refusal(401, 'no token');
  return asked(needs === 'controller' ? asController(deps, token, signal) : asRunner(deps, token, signal));
};

/** A cluster that cannot be asked says nothing about anybody. */
const asked = async (who: Promise<Who>): Promise<Who> => {
  try {
    return await who;
  } catch (error) {
    if (!(error instanceof FleetError) || isKind(error, 'bug', 'invalid')) throw error;
    throw refusal(503, `Kubernetes cannot be asked: ${error.message}`);
  }
};

const asController = async ({ view, controller }: ServeDeps, token: string, signal: AbortSignal): Promise<Who> => {
  const account = await view.review(token, undefined, signal);
  if (account === undefined) throw refusal(401, 'the token is nobody’s');
  const isIt = account.namespace === controller.namespace && account.name === controller.name;
  if (!isIt) throw refusal(403, `${account.namespace}/${account.name} is not the runners controller`);
  return { is: 'controller' };
};

const asRunner = async ({ view }: ServeDeps, token: string, signal: AbortSignal): Promise<Who> => {
  const account = await view.review(token, DISPATCH_AUDIENCE, signal);
  if (account === undefined) throw refusal(401, 'the token is nobody’s');
  const pool = await view.poolOf(account, signal);
  if (pool === undefined) throw refusal(401, `${account.name} belongs to no pool`);
  const { namespace, name: pod } = account;
  const uid = account.podUid ?? (await view.podOf(account, signal))?.uid;
  if (uid === undefined) throw refusal(401, `there is no Pod ${pod}`);
  return { is: 'runner', namespace, pool, pod, uid };
};
