/** The PEM inside a CertificateSigningRequest, in base64 as the API has it. */
import { messageOf } from '../../../base/errors.ts';
import { type Csr, parseCsr } from '../../../pki/csr.ts';

export type ParsedRequest = { readonly is: 'good'; readonly csr: Csr } | { readonly is: 'bad'; readonly why: string };

const BEGIN = '-----BEGIN CERTIFICATE REQUEST-----';

export const parseRequest = (request: unknown): ParsedRequest => {
  const pem = Buffer.from(String(request), 'base64').toString('utf8');
  if (!pem.includes(BEGIN)) return { is: 'bad', why: 'PEM block type must be CERTIFICATE REQUEST' };
  try {
    return { is: 'good', csr: parseCsr(pem) };
  } catch (thrown) {
    return { is: 'bad', why: messageOf(thrown) };
  }
};
