/**
 * What an API server does to its clients when it is not well, one kind of trouble each, deterministic: every n-th request, or from
 * one time to another. Only controllers and agents suffer; the operator of a scenario sees the truth.
 */
import { FleetError } from '../../src/base/errors.ts';
import type { User } from '../../src/controlplane/auth/user.ts';
import type { Front } from '../../src/controlplane/capi/testing/fleet-world.ts';
import type { TransportRequest } from '../../src/kube/client/transport.ts';
import type { Kernel } from '../../src/sim/kernel/kernel.ts';
import type { SimResponse } from '../../src/sim/kernel/sim-transport.ts';

type Request = Omit<TransportRequest, 'signal'>;
type Trouble = (kernel: Kernel) => Front;

const isSpared = ({ name }: User): boolean => name === 'macfleet-admin';
const isWatch = ({ method, path }: Request): boolean => method === 'GET' && /[?&]watch=(true|1)/.test(path);
const isList = ({ method, path }: Request): boolean => method === 'GET' && !isWatch({ method, path, headers: {} });

const refuse = (code: number, reason: string, message: string): SimResponse => ({
  status: code,
  headers: { 'content-type': 'application/json', ...(code === 429 && { 'retry-after': '1' }) },
  body: JSON.stringify({ apiVersion: 'v1', kind: 'Status', status: 'Failure', code, reason, message }),
});

/** Every n-th of those requests gets another answer; the API does not hear of them. */
const everyNth =
  (nth: number, which: (request: Request) => boolean, answers: readonly SimResponse[]): Trouble =>
  () => {
    let seen = 0;
    return (request, user, serve) => {
      if (isSpared(user) || !which(request)) return serve();
      seen += 1;
      if (seen % nth !== 0) return serve();
      return answers[(seen / nth) % answers.length] ?? serve();
    };
  };

/** F59: somebody else was faster. */
export const conflicts: Trouble = everyNth(4, ({ method }) => method === 'PATCH' || method === 'PUT', [
  refuse(409, 'Conflict', 'the object has been modified; please apply your changes to the latest version'),
]);

/** F61: the version is too old, told before the stream and inside it. */
export const expiredWatches: Trouble = everyNth(3, isWatch, [
  refuse(410, 'Expired', 'too old resource version'),
  {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: `${JSON.stringify({
      type: 'ERROR',
      object: { apiVersion: 'v1', kind: 'Status', status: 'Failure', code: 410, reason: 'Expired', message: 'too old' },
    })}\n`,
  },
]);

/** F66: admission does not answer, or says no. */
export const admissionTrouble: Trouble = everyNth(5, ({ method }) => method === 'POST', [
  refuse(500, 'InternalError', 'failed calling webhook "policy.example": context deadline exceeded'),
  refuse(403, 'Forbidden', 'admission webhook "policy.example" denied the request: not now'),
]);

/** F67: too many requests, and a store that lost its leader. */
export const overload: Trouble = everyNth(3, () => true, [
  refuse(429, 'TooManyRequests', 'the server is overloaded'),
  refuse(500, 'InternalError', 'etcdserver: leader changed'),
]);

const spoilStream = (
  response: SimResponse,
  spoil: (push: (chunk: Uint8Array) => void) => (chunk: Uint8Array) => void,
): SimResponse => {
  const { body } = response;
  if (typeof body === 'string') return response;
  return { ...response, body: (sink) => body({ ...sink, push: spoil((chunk) => sink.push(chunk)) }) };
};

/** F63: every event comes twice. */
export const duplicatedEvents: Trouble = () => (request, user, serve) => {
  const response = serve();
  if (isSpared(user) || !isWatch(request)) return response;
  return spoilStream(response, (push) => (chunk) => {
    push(chunk);
    push(chunk);
  });
};

/** F65: what happens to one kind is heard of late, everything else at once. */
export const laggingKind =
  (plural: string, lagMs: number): Trouble =>
  (kernel) =>
  (request, user, serve) => {
    const response = serve();
    if (isSpared(user) || !isWatch(request) || !request.path.includes(`/${plural}?`)) return response;
    return spoilStream(response, (push) => (chunk) => kernel.schedule(lagMs, `late ${plural}`, () => push(chunk)));
  };

/** F68: nobody can be reached for a while. */
export const outage =
  (fromMs: number, forMs: number): Trouble =>
  (kernel) =>
  (_request, user, serve) => {
    const passedMs = kernel.nowMs() - fromMs;
    if (isSpared(user) || passedMs < 0 || passedMs > forMs) return serve();
    throw new FleetError('unavailable', { code: 'ConnectFailed', message: 'the API server cannot be reached' });
  };

/** F64: after that time the first list of each kind is the one from the very beginning. */
export const staleRelist =
  (afterMs: number): Trouble =>
  (kernel) => {
    const first = new Map<string, SimResponse>();
    const told = new Set<string>();
    return (request, user, serve) => {
      const key = `${user.name} ${request.path}`;
      if (isSpared(user) || !isList(request)) return serve();
      const stale = first.get(key);
      if (stale !== undefined && kernel.nowMs() >= afterMs && !told.has(key)) {
        told.add(key);
        return stale;
      }
      const response = serve();
      if (stale === undefined) first.set(key, response);
      return response;
    };
  };
