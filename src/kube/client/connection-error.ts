/**
 * What went wrong between us and the server, before or beside HTTP: the codes of Node, OpenSSL and undici as FleetErrors.
 * Mapped here and nowhere else.
 */
import { toTimestamp } from '../../base/clock.ts';
import { type ErrorKind, FleetError, messageOf } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import { NOTHING_SENT } from './transport.ts';

/** Words for the messages: which server, and which file says so. */
export interface Endpoint {
  readonly server: string;
  /** Where the address and the certificates come from: `context "prod" of kubeconfig`. */
  readonly source: string;
}

interface Meaning {
  /** The codes of Node, OpenSSL and undici that mean this. */
  readonly codes: RegExp;
  readonly kind: ErrorKind;
  readonly code: string;
  readonly why: string;
  readonly hint: string;
}

const MEANINGS: readonly Meaning[] = [
  {
    codes: /^CERT_HAS_EXPIRED$/,
    kind: 'denied',
    code: 'ServerCertificateExpired',
    why: "the server's certificate has expired",
    hint: "Renew the API server's certificate, and check this machine's clock.",
  },
  {
    codes: /^CERT_NOT_YET_VALID$/,
    kind: 'denied',
    code: 'ServerCertificateNotYetValid',
    why: "the server's certificate is not valid yet",
    hint: "Check this machine's clock.",
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    kind: 'denied',
    code: 'ServerNameMismatch',
    why: "the server's certificate is for other names than the one we call",
    hint: 'Correct the server address in {source}, or set tls-server-name there.',
  },
  {
    codes: /^(CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|INVALID_CA$|PATH_LENGTH_EXCEEDED$)/,
    kind: 'denied',
    code: 'ServerCertificateUntrusted',
    why: "the server's certificate is not signed by the authority we trust",
    hint: 'Check certificate-authority in {source}: it must be the CA of this very cluster.',
  },
  {
    codes: /^ERR_OSSL_/,
    kind: 'denied',
    code: 'BadCertificateData',
    why: 'a certificate or key of ours is unusable',
    hint: 'Check certificate-authority, client-certificate and client-key in {source}.',
  },
  {
    codes: /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/,
    kind: 'contract',
    code: 'NotTls',
    why: 'the server does not speak TLS',
    hint: 'Check the server address in {source}: https:// or http://, and the port.',
  },
  {
    codes: /^ERR_SSL_.*ALERT/,
    kind: 'denied',
    code: 'ClientCertificateRefused',
    why: 'the server refused our client certificate',
    hint: 'Renew client-certificate and client-key in {source}; they may have expired.',
  },
  {
    codes: /^UND_ERR_INVALID_ARG$/,
    kind: 'bug',
    code: 'RequestUnsendable',
    why: 'the request cannot be put into HTTP',
    hint: 'Report this; nothing was sent.',
  },
  {
    codes: /^HPE_/,
    kind: 'contract',
    code: 'NotHttp',
    why: 'the answer is not HTTP',
    hint: 'Check the server address in {source}.',
  },
];

const NOT_CONNECTED = {
  kind: 'unavailable',
  code: NOTHING_SENT,
  why: 'no connection',
  hint: 'Check that the server runs, and its address in {source}.',
} as const;
const LOST = {
  kind: 'unavailable',
  code: 'ConnectionLost',
  why: 'the connection broke',
  hint: 'Nothing, if it passes; otherwise look at the network and the load balancer in between.',
} as const;

/** What undici threw, as an error of ours. */
export const toConnectionError = (thrown: unknown, { server, source }: Endpoint): FleetError => {
  if (thrown instanceof FleetError) return thrown;
  const meaning = classify(thrown);
  return new FleetError(meaning.kind, {
    code: meaning.code,
    message: `calling ${server}: ${meaning.why}: ${messageOf(thrown)}`,
    hint: meaning.hint.replace('{source}', source),
    cause: thrown,
  });
};

/** Servers say no more than 401 to it, which could mean anything. */
export const certificateExpired = (expiredAt: Date, { server, source }: Endpoint): FleetError =>
  new FleetError('denied', {
    code: 'ClientCertificateExpired',
    message: `calling ${server}: our client certificate expired at ${toTimestamp(expiredAt.getTime())}`,
    hint: `Renew client-certificate and client-key in ${source}.`,
  });

const classify = (thrown: unknown): Omit<Meaning, 'codes'> => {
  const code = isNoHttp(thrown) ? 'HPE_' : textOf(thrown, 'code');
  const known = MEANINGS.find(({ codes }) => codes.test(code));
  return known ?? (isBeforeSending(thrown, code) ? NOT_CONNECTED : LOST);
};

/** Failures of the two system calls that come before the first byte. Anything less certain counts as sent. */
const isBeforeSending = (thrown: unknown, code: string): boolean => {
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return true;
  if (thrown instanceof AggregateError) return thrown.errors.every((error) => textOf(error, 'syscall') === 'connect');
  return ['connect', 'getaddrinfo'].includes(textOf(thrown, 'syscall'));
};

/** undici 8 leaves the code of its parser's errors empty. The parser also stumbles over a body that was cut off. */
const isNoHttp = (thrown: unknown): boolean =>
  textOf(thrown, 'name') === 'HTTPParserError' && !textOf(thrown, 'message').includes('EOF');

const textOf = (thrown: unknown, field: 'code' | 'syscall' | 'name' | 'message'): string => {
  const value = isRecord(thrown) ? thrown[field] : undefined;
  return typeof value === 'string' ? value : '';
};
