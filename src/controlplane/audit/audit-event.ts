/**
 * One request as a line of an audit log: Kubernetes' audit.k8s.io/v1 Event at its level Metadata, which holds no body. Pure.
 * `kube-apiserver` writes several for each request, one for each stage; here it is one, when the request is answered.
 */
import { toMicroTimestamp } from '../../base/clock.ts';
import type { ApiRequest, ApiResponse } from '../api/http.ts';
import { type Attempt, parseAttempt } from '../auth/attempt.ts';
import type { User } from '../auth/user.ts';

interface AuditUser {
  readonly username: string;
  readonly groups: readonly string[];
}

interface AuditObject {
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly apiGroup?: string;
  readonly apiVersion: string;
  readonly subresource?: string;
}

export interface AuditEvent {
  readonly kind: 'Event';
  readonly apiVersion: 'audit.k8s.io/v1';
  readonly level: 'Metadata';
  readonly auditID: string;
  /** What is streamed, as a watch, is told when it begins; everything else when it is answered. */
  readonly stage: 'ResponseStarted' | 'ResponseComplete';
  readonly requestURI: string;
  readonly verb: string;
  readonly user: AuditUser;
  readonly impersonatedUser?: AuditUser;
  readonly userAgent?: string;
  readonly objectRef?: AuditObject;
  readonly responseStatus: { readonly code: number };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

export interface AuditedAnswer {
  readonly request: Pick<ApiRequest, 'method' | 'path' | 'headers' | 'user'>;
  readonly response: Pick<ApiResponse, 'status' | 'headers' | 'body'>;
  /** As whom it was served, where that is another than who sent it. */
  readonly actingAs: User | undefined;
  readonly receivedMs: number;
  readonly answeredMs: number;
}

export const toAuditEvent = ({ request, response, actingAs, ...times }: AuditedAnswer): AuditEvent => {
  const attempt = parseAttempt(request);
  const { 'user-agent': userAgent = '' } = request.headers;
  return {
    ...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'Metadata' },
    auditID: response.headers['audit-id'] ?? '',
    stage: typeof response.body === 'string' ? 'ResponseComplete' : 'ResponseStarted',
    ...{ requestURI: request.path, verb: attempt.verb, user: toAuditUser(request.user) },
    ...(actingAs !== undefined && { impersonatedUser: toAuditUser(actingAs) }),
    ...(userAgent !== '' && { userAgent: cutAgent(userAgent) }),
    ...(attempt.on === 'resource' && { objectRef: toObject(attempt, response) }),
    responseStatus: { code: response.status },
    requestReceivedTimestamp: toMicroTimestamp(times.receivedMs),
    stageTimestamp: toMicroTimestamp(times.answeredMs),
  };
};

/** Not what is known of a user besides: it names credentials. */
const toAuditUser = ({ name, groups }: User): AuditUser => ({ username: name, groups });

/** As Kubernetes does: a client may send any length. */
const AGENT_LENGTH_MAX = 1_024;

const cutAgent = (agent: string): string =>
  agent.length <= AGENT_LENGTH_MAX ? agent : `${agent.slice(0, AGENT_LENGTH_MAX)}...TRUNCATED`;

const toObject = (
  attempt: Extract<Attempt, { on: 'resource' }>,
  response: Pick<ApiResponse, 'status' | 'body'>,
): AuditObject => {
  const { resource, namespace, group, version, subresource } = attempt;
  const name = attempt.name === '' && attempt.verb === 'create' ? nameIn(response) : attempt.name;
  return {
    resource,
    ...(namespace !== '' && { namespace }),
    ...(name !== '' && { name }),
    ...(group !== '' && { apiGroup: group }),
    apiVersion: version,
    ...(subresource !== '' && { subresource }),
  };
};

const CREATED = 201;

/** What is made has its name in the answer alone where the server chose it. */
const nameIn = ({ status, body }: Pick<ApiResponse, 'status' | 'body'>): string => {
  if (status !== CREATED || typeof body !== 'string') return '';
  const { metadata } = parseMade(body);
  return metadata?.name ?? '';
};

/** Of our own making, in the form that was asked for: a table has no name. */
const parseMade = (body: string) => {
  try {
    return JSON.parse(body) as { readonly metadata?: { readonly name?: string } };
  } catch {
    return {};
  }
};

const READS: Readonly<Record<Attempt['on'], readonly string[]>> = {
  resource: ['get', 'list', 'watch'],
  path: ['get', 'head', 'options'],
};

export const isRead = ({ on, verb }: Attempt): boolean => READS[on].includes(verb);
