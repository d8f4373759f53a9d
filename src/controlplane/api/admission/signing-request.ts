/** The PEM inside a CertificateSigningRequest, in base64 as the API has it. */
import { messageOf } from '../../../base/errors.ts';
import { type Csr, parseCsr } from '../../../pki/csr.ts';

export type ParsedRequest = { readonly is: 'good'; readonly csr: Csr } | { readonly is: 'bad'; readonly why: string };

export const parseRequest = (request: unknown): ParsedRequest => {
  try {
    return { is: 'good', csr: parseCsr(Buffer.from(String(request), 'base64').toString('utf8')) };
  } catch (thrown) {
    return { is: 'bad', why: messageOf(thrown) };
  }
};
