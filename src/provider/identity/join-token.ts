/**
 * The token a Mac joins with (R23): a bootstrap token of Kubernetes that lives a quarter of an hour, is good for one Node
 * name, and for one certificate. What it is for stands on its Secret, so that nothing has to be remembered elsewhere.
 */
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';
import type { Secret as KubeSecret } from '../../kube/types/core.ts';

export const TOKEN_LIFE_MS = 15 * 60_000;
/** Whoever shows such a token is in this group, and so may ask for a certificate. */
export const JOIN_GROUP = 'system:bootstrappers:macfleet';
export const TOKEN_NAMESPACE = 'kube-system';

const NODE = 'macfleet.tuist.dev/node-name';
const NAMESPACE = 'macfleet.tuist.dev/machine-namespace';
const USED_BY = 'macfleet.tuist.dev/used-by';
const USER = /^system:bootstrap:([a-z0-9]{6})$/;

interface MachineRef {
  readonly namespace: string;
  readonly name: string;
}

export interface JoinToken {
  readonly id: string;
  readonly secret: Secret<string>;
  /** The machine that it is for; its Node has the same name. */
  readonly machine: MachineRef;
  readonly expiresAtMs: number;
}

export const drawToken = (random: Random, machine: MachineRef, nowMs: number): JoinToken => {
  const hex = (bytes: number): string => Buffer.from(random.bytes(bytes)).toString('hex');
  return { id: hex(3), secret: new Secret(hex(8)), machine, expiresAtMs: nowMs + TOKEN_LIFE_MS };
};

/** As the API takes it for a bearer. */
export const bearerOf = ({ id, secret }: JoinToken): Secret<string> => new Secret(`${id}.${secret.reveal()}`);

export const tokenNameOf = (id: string): string => `bootstrap-token-${id}`;

export const renderToken = ({ id, secret, machine, expiresAtMs }: JoinToken): KubeSecret => {
  const encode = (text: string): string => Buffer.from(text).toString('base64');
  return {
    type: 'bootstrap.kubernetes.io/token',
    metadata: {
      name: tokenNameOf(id),
      namespace: TOKEN_NAMESPACE,
      annotations: { [NODE]: machine.name, [NAMESPACE]: machine.namespace },
    },
    data: {
      'token-id': encode(id),
      'token-secret': encode(secret.reveal()),
      'usage-bootstrap-authentication': encode('true'),
      'auth-extra-groups': encode(JOIN_GROUP),
      description: encode(`lets the Mac join as Node ${machine.name}, once`),
      expiration: encode(toTimestamp(expiresAtMs)),
    },
  };
};

/** What a Secret says about the token in it. */
export interface TokenFacts {
  readonly nodeName: string;
  /** Of the machine that it is for; undefined in a token of an earlier release. */
  readonly namespace?: string;
  /** UID of the request that it was used for. */
  readonly usedBy: string | undefined;
  readonly expiresAtMs: number;
}

/** Undefined for a Secret that is no token of ours. */
export const parseToken = ({ metadata, data }: KubeSecret): TokenFacts | undefined => {
  const nodeName = metadata.annotations?.[NODE];
  const expiresAtMs = parseTimestamp(Buffer.from(data?.['expiration'] ?? '', 'base64').toString());
  if (nodeName === undefined || expiresAtMs === undefined) return undefined;
  const namespace = metadata.annotations?.[NAMESPACE];
  const usedBy = metadata.annotations?.[USED_BY];
  return { nodeName, ...(namespace === undefined ? {} : { namespace }), usedBy, expiresAtMs };
};

/** The id in the user name of somebody who showed a token; undefined for anybody else. */
export const tokenIdOf = (user: string | undefined): string | undefined => USER.exec(user ?? '')?.[1];

/** The annotation that makes it good for this request and no other. */
export const markUsed = (requestUid: string): Readonly<Record<string, string>> => ({ [USED_BY]: requestUid });
