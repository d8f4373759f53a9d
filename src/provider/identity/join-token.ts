/**
 * The token a Mac joins with (R23): a bootstrap token of Kubernetes that lives a quarter of an hour, is good for one Mac under
 * one Node name, and for one certificate. Whom it is for stands on its Secret; that it was used, on the record of the Mac. Its id follows
 * from the Mac and the epoch, so that whoever has the record can remove it: nobody may list the Secrets beside it.
 */
import { createHash } from 'node:crypto';
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';
import type { Secret as KubeSecret } from '../../kube/types/core.ts';
import type { Joiner } from '../host/ports.ts';

export const TOKEN_LIFE_MS = 15 * 60_000;
/** Whoever shows such a token is in this group, and so may ask for a certificate. */
export const JOIN_GROUP = 'system:bootstrappers:macfleet';
export const TOKEN_NAMESPACE = 'kube-system';

const NODE = 'macfleet.tuist.dev/node-name';
const NAMESPACE = 'macfleet.tuist.dev/machine-namespace';
const HOST = 'macfleet.tuist.dev/host';
const EPOCH = 'macfleet.tuist.dev/epoch';
const WIPES = 'macfleet.tuist.dev/wipes';
const USER = /^system:bootstrap:([a-z0-9]{6})$/;
const ID = /^bootstrap-token-([a-z0-9]{6})$/;

export interface JoinToken extends Joiner {
  readonly id: string;
  readonly secret: Secret<string>;
  readonly expiresAtMs: number;
}

export const drawToken = (random: Random, joiner: Joiner, nowMs: number): JoinToken => {
  const hex = (bytes: number): string => Buffer.from(random.bytes(bytes)).toString('hex');
  return { id: tokenIdFor(joiner), secret: new Secret(hex(8)), ...joiner, expiresAtMs: nowMs + TOKEN_LIFE_MS };
};

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const ID_LENGTH = 6;

/** Of the token for this Mac under this epoch. It is no secret: whoever joins is called by it. */
export const tokenIdFor = ({ host, uid, epoch }: Pick<Joiner, 'host' | 'uid' | 'epoch'>): string => {
  const digest = createHash('sha256').update(`${host}/${uid}/${epoch}`).digest();
  return [...digest.subarray(0, ID_LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
};

/** As the API takes it for a bearer. */
export const bearerOf = ({ id, secret }: JoinToken): Secret<string> => new Secret(`${id}.${secret.reveal()}`);

export const tokenNameOf = (id: string): string => `bootstrap-token-${id}`;

export const renderToken = ({ id, secret, machine, expiresAtMs, ...joiner }: JoinToken): KubeSecret => {
  const encode = (text: string): string => Buffer.from(text).toString('base64');
  return {
    type: 'bootstrap.kubernetes.io/token',
    metadata: {
      name: tokenNameOf(id),
      namespace: TOKEN_NAMESPACE,
      annotations: {
        ...{ [NODE]: machine.name, [NAMESPACE]: machine.namespace, [HOST]: joiner.host },
        ...{ [EPOCH]: String(joiner.epoch), [WIPES]: String(joiner.wipes) },
      },
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
  readonly id: string;
  readonly nodeName: string;
  /** Of the machine that it is for; undefined in a token of an earlier release. */
  readonly namespace?: string;
  /** The Mac that it is for; undefined in a token of an earlier release. */
  readonly host?: string;
  /** Of the operation that it was drawn for: the later one's is good when both are there. */
  readonly epoch: number;
  /** How often that Mac had been wiped; undefined in a token of an earlier release. */
  readonly wipes?: number;
  readonly expiresAtMs: number;
}

/** Undefined for a Secret that is no token of ours. */
export const parseToken = ({ metadata, data }: KubeSecret): TokenFacts | undefined => {
  const nodeName = metadata.annotations?.[NODE];
  const expiresAtMs = parseTimestamp(Buffer.from(data?.['expiration'] ?? '', 'base64').toString());
  const id = ID.exec(metadata.name)?.[1];
  if (id === undefined || nodeName === undefined || expiresAtMs === undefined) return undefined;
  const namespace = metadata.annotations?.[NAMESPACE];
  const host = metadata.annotations?.[HOST];
  const { [EPOCH]: epoch = 0, [WIPES]: wipes } = metadata.annotations ?? {};
  return {
    ...{ id, nodeName, ...(namespace && { namespace }), ...(host && { host }), epoch: Number(epoch) },
    ...(wipes && { wipes: Number(wipes) }),
    expiresAtMs,
  };
};

/** The id in the user name of somebody who showed a token; undefined for anybody else. */
export const tokenIdOf = (user: string | undefined): string | undefined => USER.exec(user ?? '')?.[1];
