import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../../base/errors.ts';
import { toConnectionError } from './connection-error.ts';

const endpoint = { server: 'https://api:6443', source: 'context "prod"' };
const failure = (fields: object): Error => Object.assign(new Error('it failed'), fields);

describe('a failure of the connection', () => {
  const refusal = failure({ code: 'ECONNREFUSED', syscall: 'connect' });
  const rows: readonly (readonly [string, unknown, string, string])[] = [
    ['refused', refusal, 'unavailable', 'ConnectFailed'],
    ['refused at every address', new AggregateError([refusal, refusal]), 'unavailable', 'ConnectFailed'],
    ['no route', failure({ code: 'EHOSTUNREACH', syscall: 'connect' }), 'unavailable', 'ConnectFailed'],
    ['no such name', failure({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }), 'unavailable', 'ConnectFailed'],
    ['no name server', failure({ code: 'EAI_AGAIN', syscall: 'getaddrinfo' }), 'unavailable', 'ConnectFailed'],
    ['no answer to the first packet', failure({ code: 'UND_ERR_CONNECT_TIMEOUT' }), 'unavailable', 'ConnectFailed'],
    ['reset', failure({ code: 'ECONNRESET', syscall: 'read' }), 'unavailable', 'ConnectionLost'],
    ['broken pipe', failure({ code: 'EPIPE', syscall: 'write' }), 'unavailable', 'ConnectionLost'],
    ['closed by the other side', failure({ code: 'UND_ERR_SOCKET' }), 'unavailable', 'ConnectionLost'],
    ['no headers in time', failure({ code: 'UND_ERR_HEADERS_TIMEOUT' }), 'unavailable', 'ConnectionLost'],
    ['something new', failure({}), 'unavailable', 'ConnectionLost'],
    ['no error at all', 'what', 'unavailable', 'ConnectionLost'],
    ['expired', failure({ code: 'CERT_HAS_EXPIRED' }), 'denied', 'ServerCertificateExpired'],
    ['too early', failure({ code: 'CERT_NOT_YET_VALID' }), 'denied', 'ServerCertificateNotYetValid'],
    ['other names', failure({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }), 'denied', 'ServerNameMismatch'],
    ['self-signed', failure({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }), 'denied', 'ServerCertificateUntrusted'],
    ['unknown authority', failure({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }), 'denied', 'ServerCertificateUntrusted'],
    ['forged', failure({ code: 'CERT_SIGNATURE_FAILURE' }), 'denied', 'ServerCertificateUntrusted'],
    ['a key that is no key', failure({ code: 'ERR_OSSL_UNSUPPORTED' }), 'denied', 'BadCertificateData'],
    [
      'our certificate expired',
      failure({ code: 'ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED' }),
      'denied',
      'ClientCertificateRefused',
    ],
    [
      'no certificate of ours',
      failure({ code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' }),
      'denied',
      'ClientCertificateRefused',
    ],
    ['a header with a newline', failure({ code: 'UND_ERR_INVALID_ARG' }), 'bug', 'RequestUnsendable'],
    ['no TLS', failure({ code: 'ERR_SSL_WRONG_VERSION_NUMBER' }), 'contract', 'NotTls'],
    ['no HTTP', failure({ code: 'HPE_INVALID_CONSTANT' }), 'contract', 'NotHttp'],
    [
      'a body cut off, as the parser sees it',
      failure({ name: 'HTTPParserError', message: '(Invalid EOF state)' }),
      'unavailable',
      'ConnectionLost',
    ],
    ['no HTTP, in the words of undici', failure({ name: 'HTTPParserError' }), 'contract', 'NotHttp'],
  ];
  for (const [story, thrown, kind, code] of rows) {
    it(`${story} is ${kind}/${code} and says where to look`, () => {
      const error = toConnectionError(thrown, endpoint);
      assert.deepEqual([error.kind, error.code], [kind, code]);
      assert.match(error.message, /^calling https:\/\/api:6443: /);
      assert.doesNotMatch(error.hint ?? '{', /[{}]/);
    });
  }

  it('that is an error of ours stays what it is', () => {
    const ours = new FleetError('denied', { code: 'ExecPluginFailed', message: 'no' });
    assert.equal(toConnectionError(ours, endpoint), ours);
  });
});
