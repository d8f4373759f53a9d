/** Real certificates for loopback tests, made with openssl when a test starts. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface TestCertificates {
  readonly ca: string;
  /** Signs with the same authority; `days` may be negative. */
  issue(commonName: string, options?: { readonly san?: string; readonly days?: number }): KeyPair;
  dispose(): void;
}

/** Undefined where there is no openssl. */
export const createTestCertificates = (): TestCertificates | undefined => {
  const directory = mkdtempSync(join(tmpdir(), 'certificates-'));
  const path = (name: string): string => join(directory, name);
  const openssl = (...args: readonly string[]): Buffer => execFileSync('openssl', args, { stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      path('ca.key'),
      '-out',
      path('ca.crt'),
      '-days',
      '2',
      '-subj',
      '/CN=test',
    );
  } catch {
    rmSync(directory, { recursive: true });
    return undefined;
  }
  return {
    ca: readFileSync(path('ca.crt'), 'utf8'),
    issue: (commonName, { san = 'DNS:localhost,IP:127.0.0.1', days = 2 } = {}) => {
      writeFileSync(path('ext'), `subjectAltName=${san}\n`);
      openssl('req', '-new', ...newKey, '-keyout', path('key'), '-out', path('csr'), '-subj', `/CN=${commonName}`);
      const authority = ['-CA', path('ca.crt'), '-CAkey', path('ca.key'), '-CAcreateserial'];
      const validity = ['-days', String(days), '-extfile', path('ext')];
      openssl('x509', '-req', '-in', path('csr'), ...authority, ...validity, '-out', path('crt'));
      return { cert: readFileSync(path('crt'), 'utf8'), key: readFileSync(path('key'), 'utf8') };
    },
    dispose: () => rmSync(directory, { recursive: true }),
  };
};
