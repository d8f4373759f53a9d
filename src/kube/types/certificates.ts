/** Certificate signing requests: how a Mac gets its Node's client certificate. */
import type { KubeObject } from './meta.ts';
import type { Resource } from './resource.ts';

interface CertificateSigningRequestCondition {
  readonly type: 'Approved' | 'Denied' | 'Failed';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

export interface CertificateSigningRequest extends KubeObject {
  readonly spec: {
    /** PEM, in base64. */
    readonly request: string;
    readonly signerName: string;
    readonly usages?: readonly string[];
    readonly expirationSeconds?: number;
    /** Who asks; filled in by the API server. */
    readonly username?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  readonly status?: {
    readonly conditions?: readonly CertificateSigningRequestCondition[];
    /** PEM, in base64. */
    readonly certificate?: string;
  };
}

export const CERTIFICATE_SIGNING_REQUESTS: Resource<CertificateSigningRequest> = {
  group: 'certificates.k8s.io',
  version: 'v1',
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  scope: 'Cluster',
};
