import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../../base/logger.ts';
import { createAuthority, issueCertificate } from '../../pki/authority.ts';
import { parseCertificates, renderCertificate } from '../../pki/certificate.ts';
import { parseCsr } from '../../pki/csr.ts';
import { createKeyPair } from '../../pki/key.ts';
import { createHarness, type Harness } from '../testing/harness.ts';
import { CERTIFICATE_SIGNING_REQUESTS, type CertificateSigningRequest } from '../types/certificates.ts';
import { keepServingCertificate, type ServingPair } from './serving-certificate.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const SECONDS = 600;

type Status = CertificateSigningRequest['status'];
type Answer = (harness: Harness, request: CertificateSigningRequest) => Status;

/** Dates back by five minutes, as the signers of Kubernetes do, whatever the life. */
const signFor =
  (lifeMs: number): Answer =>
  ({ clock, random }, { spec }) => {
    const csr = parseCsr(Buffer.from(spec.request, 'base64').toString());
    const nowMs = clock.now();
    const authority = createAuthority({
      ...{ subject: { commonName: 'authority' }, keyPair: createKeyPair(random), random },
      ...{ notBeforeMs: nowMs - DAY_MS, notAfterMs: nowMs + DAY_MS },
    });
    const issued = issueCertificate(authority, {
      ...{ identity: csr, publicKey: csr.publicKey, usages: ['server auth'], random },
      ...{ notBeforeMs: nowMs - 5 * MINUTE_MS, notAfterMs: nowMs + lifeMs },
    });
    return { certificate: Buffer.from(renderCertificate(issued)).toString('base64') };
  };

const deny: Answer = () => ({ conditions: [{ type: 'Denied', status: 'True', message: 'of another address' }] });

const rows: readonly {
  readonly story: string;
  readonly answer: Answer;
  readonly least: number;
  readonly most: number;
}[] = [
  { story: 'ever more seldom while it is denied', answer: deny, least: 8, most: 60 },
  { story: 'once if it lives for an hour', answer: signFor(60 * MINUTE_MS), least: 1, most: 1 },
  {
    story: 'in good time if it lives for a minute, though it is five minutes old when it comes',
    ...{ answer: signFor(MINUTE_MS), least: 10, most: 16 },
  },
];

for (const { story, answer, least, most } of rows) {
  test(`a certificate to serve with is asked for ${story}`, async () => {
    const harness = createHarness();
    const { client, clock, random, stop, advance } = harness;
    const { signal } = stop;
    const answerAll = async (): Promise<number> => {
      const { items } = await client.list(CERTIFICATE_SIGNING_REQUESTS, { signal });
      for (const request of items) {
        if (request.status !== undefined) continue;
        const patch = { type: 'merge', body: { status: answer(harness, request) } } as const;
        const { name } = request.metadata;
        await client.patch(CERTIFICATE_SIGNING_REQUESTS, { name }, patch, { subresource: 'status', signal });
      }
      return items.length;
    };
    let untilMs = Number.POSITIVE_INFINITY;
    const use = ({ certificatePem }: ServingPair): void => {
      assert.ok(clock.now() < untilMs, 'before the last one is over');
      untilMs = parseCertificates(certificatePem)[0].notAfterMs;
    };
    const deps = { client, clock, random, logger: silentLogger, nodeName: 'mac-1', ipAddress: '10.0.0.1' };
    const kept = keepServingCertificate(deps, use, signal);
    let asked = 0;
    for (let second = 0; second < SECONDS; second += 1) {
      await advance(1_000);
      asked = await answerAll();
    }
    assert.ok(asked >= least && asked <= most, `${asked} times`);
    stop.abort();
    await kept;
  });
}
