/** What ServiceAccounts asked of the API server, as it wrote down itself. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster, ClusterOptions } from './cluster.ts';

export interface AuditedRequest {
  /** `system:serviceaccount:<namespace>:<name>` */
  readonly user: string;
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  /** With its subresource: `pods/status`. Empty for what is no resource. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** Of what is no resource. */
  readonly path: string;
  readonly code: number;
}

const LOG = 'audit.log';

/** Written before the server starts. Nobody else's requests are written down: that would be many. */
export const auditFlags = (dir: string, { auditNamespaces }: ClusterOptions): readonly string[] => {
  if (auditNamespaces === undefined) return [];
  const policy = join(dir, 'audit-policy.json');
  writeFileSync(
    policy,
    JSON.stringify({
      ...{ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'] },
      rules: [
        { level: 'Metadata', userGroups: auditNamespaces.map((name) => `system:serviceaccounts:${name}`) },
        { level: 'None' },
      ],
    }),
  );
  // Blocking: what was answered is written.
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${join(dir, LOG)}`, '--audit-log-mode=blocking'];
};

interface AuditEvent {
  readonly user: { readonly username: string };
  readonly verb: string;
  readonly requestURI: string;
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

export const readAudit = ({ dir }: Pick<Cluster, 'dir'>): readonly AuditedRequest[] => {
  const path = join(dir, LOG);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => toRequest(JSON.parse(line) as AuditEvent));
};

const toRequest = ({ user, verb, requestURI, objectRef, responseStatus }: AuditEvent): AuditedRequest => {
  const { apiGroup: group = '', resource = '', subresource, namespace = '', name = '' } = objectRef ?? {};
  return {
    ...{ user: user.username, verb, group, namespace, name, code: responseStatus?.code ?? 0 },
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    path: objectRef === undefined ? (requestURI.split('?')[0] ?? '') : '',
  };
};
