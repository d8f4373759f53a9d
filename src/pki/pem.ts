/**
 * PEM, the text around DER (RFC 7468). Files from the field hold comments, several blocks, CRLF, or a certificate and
 * its key together; only the blocks that are asked for are decoded, so a key next to a certificate stays text.
 */
import { FleetError } from '../base/errors.ts';

interface PemBlock {
  readonly label: string;
  readonly der: Buffer;
}

/** Far above any bundle of certificates; keeps hostile input from costing memory. */
const PEM_CHARS_MAX = 4 * 1024 * 1024;

const BEGIN = /^-----BEGIN ([A-Z0-9 ]{1,40})-----$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The blocks with one of these labels, in order. What stands between blocks is commentary and is skipped. */
export const parsePem = (text: string, labels: readonly string[]): readonly PemBlock[] => {
  if (text.length > PEM_CHARS_MAX) throw badPem(`it is longer than ${PEM_CHARS_MAX} characters`);
  const lines = text.split('\n').map((line) => line.trim());
  const blocks: PemBlock[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const label = BEGIN.exec(lines[at] ?? '')?.[1];
    if (label === undefined) continue;
    const end = lines.indexOf(`-----END ${label}-----`, at);
    if (end < 0) throw badPem(`the block ${label} has no end`);
    if (labels.includes(label)) blocks.push({ label, der: decodeBody(label, lines.slice(at + 1, end)) });
    at = end;
  }
  return blocks;
};

const decodeBody = (label: string, lines: readonly string[]): Buffer => {
  const body = lines.join('');
  if (body === '') throw badPem(`the block ${label} is empty`);
  if (!BASE64.test(body)) throw badPem(`the block ${label} is not plain base64 (encrypted keys are not supported)`);
  return Buffer.from(body, 'base64');
};

export const renderPem = ({ label, der }: PemBlock): string => {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
};

const badPem = (why: string): FleetError =>
  new FleetError('invalid', {
    code: 'PemInvalid',
    message: `the PEM text cannot be read: ${why}`,
    hint: 'Pass the whole file, from -----BEGIN to -----END, unencrypted.',
  });
