/** Which certificate the client of a connection has shown, and whether it counts. */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import { type Certificate, parseCertificateDer } from '../../pki/certificate.ts';
import type { ShownCertificate } from '../auth/authenticate.ts';

export interface ShownCertificates {
  /** Undefined when none was shown. */
  of(socket: Socket): ShownCertificate | undefined;
}

export const createShownCertificates = (clock: Clock): ShownCertificates => {
  /** Read once per connection; whether it is still valid is asked every time. */
  const known = new WeakMap<Socket, Certificate | 'bad' | 'none'>();
  return {
    of: (socket) => {
      if (!(socket instanceof TLSSocket)) return undefined;
      const read = known.get(socket) ?? readCertificate(socket);
      known.set(socket, read);
      if (read === 'none') return undefined;
      if (read === 'bad' || clock.now() >= read.notAfterMs) return { is: 'bad' };
      const { commonName = '', organizations, fingerprintSha256: sha256 } = read;
      return { is: 'good', commonName, organizations, sha256 };
    },
  };
};

const readCertificate = (socket: TLSSocket): Certificate | 'bad' | 'none' => {
  const { raw } = socket.getPeerCertificate();
  if (raw === undefined) return 'none';
  if (!socket.authorized) return 'bad';
  try {
    return parseCertificateDer(raw);
  } catch {
    // Signed by our authority and yet not readable: nobody we know.
    return 'bad';
  }
};
