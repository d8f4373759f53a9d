/**
 * The certificate that a Node's agent shows to the API server: for the addresses that its Node reports, asked for as a kubelet
 * does it, approved by whoever looks after the fleet, and asked for again before it expires.
 */
import { backoffDelayMs, DEFAULT_BACKOFF } from '../../base/backoff.ts';
import { type Clock, pause, sleep } from '../../base/clock.ts';
import { isKind, toFleetError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import type { Secret } from '../../base/secret.ts';
import { parseCertificates } from '../../pki/certificate.ts';
import { createCsr } from '../../pki/csr.ts';
import { createKeyPair, type KeyPair, renderPrivateKey } from '../../pki/key.ts';
import { renewalTimeOfNewMs } from '../../pki/renewal.ts';
import type { KubeClient } from '../client/client.ts';
import type { CertificateSigningRequest } from '../types/certificates.ts';
import { NODE_GROUP, nameKey, nodeUserOf, requestCertificate } from './node-certificate.ts';

const SERVING_SIGNER = 'kubernetes.io/kubelet-serving';
const RETRY_MS = 2_000;
/** Each try is a request that lies there for an hour. */
const DENIED = { ...DEFAULT_BACKOFF, maxMs: 60_000 };

export interface ServingPair {
  readonly certificatePem: string;
  readonly keyPem: Secret<string>;
}

export interface ServingDeps {
  /** As the Node itself. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly nodeName: string;
  readonly ipAddress: string;
}

/** Gives each certificate to `use` as it comes, until the signal is aborted. A refusal is told and asked again. */
export const keepServingCertificate = async (
  deps: ServingDeps,
  use: (pair: ServingPair) => void,
  signal: AbortSignal,
): Promise<void> => {
  const { clock, random, logger } = deps;
  let denials = 0;
  while (!signal.aborted) {
    try {
      const renewAtMs = await takeNext(deps, use, signal);
      denials = 0;
      await sleep(clock, Math.max(RETRY_MS, renewAtMs - clock.now()), signal);
    } catch (thrown) {
      if (signal.aborted) return;
      logger.warn('No certificate to serve logs with yet', { error: toFleetError(thrown) });
      denials = isKind(thrown, 'denied') ? denials + 1 : 0;
      await pause(clock, denials === 0 ? RETRY_MS : backoffDelayMs(DENIED, denials, random), signal);
    }
  }
};

/** When the one after it is to be asked for. Nothing else of it is kept here: what a certificate takes, read, it takes for each of its hours. */
const takeNext = async (deps: ServingDeps, use: (pair: ServingPair) => void, signal: AbortSignal): Promise<number> => {
  const keyPair = createKeyPair(deps.random);
  const certificatePem = await requestCertificate(deps, renderServingRequest(deps, keyPair), signal);
  const [certificate] = parseCertificates(certificatePem);
  use({ certificatePem, keyPem: renderPrivateKey(keyPair) });
  return renewalTimeOfNewMs(certificate, deps.clock.now());
};

const renderServingRequest = (
  { nodeName, ipAddress }: Pick<ServingDeps, 'nodeName' | 'ipAddress'>,
  keyPair: KeyPair,
): CertificateSigningRequest => {
  const identity = {
    ...{ commonName: nodeUserOf(nodeName), organizations: [NODE_GROUP] },
    ...{ dnsNames: [nodeName], ipAddresses: [ipAddress] },
  };
  return {
    metadata: { name: `node-serving-${nameKey(keyPair)}` },
    spec: {
      request: Buffer.from(createCsr({ identity, keyPair })).toString('base64'),
      signerName: SERVING_SIGNER,
      usages: ['digital signature', 'server auth'],
    },
  };
};
