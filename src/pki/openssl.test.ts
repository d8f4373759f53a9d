/** openssl as judge: it accepts what we make, and we read what it makes. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createSeededRandom, createSystemRandom } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import { createAuthority, issueCertificate, parseAuthority } from './authority.ts';
import { parseCertificates, renderCertificate } from './certificate.ts';
import { checkChain } from './chain.ts';
import { createCsr, parseCsr } from './csr.ts';
import { createKeyPair, parsePrivateKey, renderPrivateKey } from './key.ts';

const isMissing = spawnSync('openssl', ['version']).status !== 0;
const options = { skip: isMissing ? 'openssl is not on PATH: nothing here was compared with it' : false };

const folder = mkdtempSync(join(tmpdir(), 'macfleet-pki-'));
after(() => rmSync(folder, { recursive: true }));
const openssl = (command: string): string =>
  execFileSync('openssl', command.split(' '), { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

const random = createSystemRandom();
const atMs = Date.UTC(2030, 0, 1);
const life = { notBeforeMs: atMs - 60_000, notAfterMs: atMs + 3_600_000 };
const identity = {
  commonName: 'system:node:mac-1',
  organizations: ['system:nodes', 'Größe'],
  dnsNames: ['mac-1.example.com'],
  ipAddresses: ['10.0.0.7', '2001:db8::7'],
};

describe('openssl accepts what we make', () => {
  for (const algorithm of ['ec-p256', 'ed25519'] as const) {
    test(`a chain under an ${algorithm} authority, by its strict rules`, options, () => {
      const keyPair = createKeyPair(random, algorithm);
      const authority = createAuthority({ subject: { commonName: 'ca' }, keyPair, random, ...life });
      const { publicKey } = createKeyPair(random, algorithm);
      const usages = ['digital signature', 'client auth'] as const;
      write('ca.pem', renderCertificate(authority.certificate));
      write(
        'leaf.pem',
        renderCertificate(issueCertificate(authority, { identity, publicKey, usages, random, ...life })),
      );
      const verify = `verify -x509_strict -check_ss_sig -attime ${atMs / 1_000} -CAfile ca.pem`;
      assert.match(openssl(`${verify} -purpose sslclient leaf.pem`), /leaf\.pem: OK/);
      assert.throws(() => openssl(`${verify} -purpose sslserver leaf.pem`), /unsuitable certificate purpose/);
      const text = openssl('x509 -in leaf.pem -noout -text -nameopt RFC2253,utf8,-esc_msb');
      assert.match(text, /DNS:mac-1\.example\.com, IP Address:10\.0\.0\.7, IP Address:2001:DB8:0:0:0:0:0:7/);
      assert.match(text, /TLS Web Client Authentication/);
      assert.match(text, /Subject: CN=system:node:mac-1,O=Größe,O=system:nodes/);
      assert.match(text, /Not After : Jan {2}1 01:00:00 2030 GMT/);
    });

    test(`an ${algorithm} request and its key`, options, () => {
      const keyPair = createKeyPair(random, algorithm);
      write('request.pem', createCsr({ identity, keyPair, usages: ['server auth'] }));
      write('request.key', renderPrivateKey(keyPair).reveal());
      const text = openssl('req -in request.pem -noout -verify -text');
      assert.match(text, /DNS:mac-1\.example\.com, IP Address:10\.0\.0\.7/);
      assert.match(text, /TLS Web Server Authentication/);
      assert.equal(openssl('req -in request.pem -noout -pubkey'), openssl('pkey -in request.key -pubout'));
    });
  }

  test('no longer, once one bit of the request is changed', options, () => {
    const bytes = Buffer.from(createCsr({ identity, keyPair: createKeyPair(createSeededRandom(1)) }));
    bytes.write(bytes.toString('latin1', 100, 101) === 'A' ? 'B' : 'A', 100, 'latin1');
    write('changed.pem', bytes.toString());
    const { stderr } = spawnSync('openssl', ['req', '-in', 'changed.pem', '-noout', '-verify'], { cwd: folder });
    assert.doesNotMatch(stderr.toString(), /verify OK/);
  });
});

const kinds: readonly (readonly [string, string])[] = [
  ['EC P-256', 'genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256'],
  ['EC P-384', 'genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384'],
  ['EC as SEC1 after its parameters', 'ecparam -name prime256v1 -genkey'],
  ['RSA', 'genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048'],
  ['RSA as PKCS#1', 'genrsa -traditional'],
  ['Ed25519', 'genpkey -algorithm ED25519'],
];

describe('we read what openssl makes', () => {
  for (const [story, command] of kinds) {
    test(`key, request and authority: ${story}`, options, () => {
      openssl(`${command} -out their.key`);
      openssl(
        'req -new -key their.key -subj /C=FR/O=b/O=a/OU=ignored/CN=their -out their.csr -addext subjectAltName=DNS:x.example,IP:10.1.2.3,IP:::1,email:a@b.example,URI:spiffe://x/y -addext keyUsage=digitalSignature -addext extendedKeyUsage=clientAuth,codeSigning',
      );
      const keyPair = parsePrivateKey(new Secret(read('their.key')));
      const { publicKey, extensionIds, ...csr } = parseCsr(read('their.csr'));
      assert.ok(publicKey.equals(keyPair.publicKey));
      assert.equal(extensionIds.length, 3);
      assert.deepEqual(csr, {
        commonName: 'their',
        organizations: ['b', 'a'],
        dnsNames: ['x.example'],
        ipAddresses: ['10.1.2.3', '::1'],
        emailAddresses: ['a@b.example'],
        uris: ['spiffe://x/y'],
        usages: ['digital signature', 'client auth', '1.3.6.1.5.5.7.3.3'],
        wantsCa: false,
      });
    });

    test(`an authority whose certificates openssl then accepts: ${story}`, options, () => {
      openssl(`${command} -out root.key`);
      openssl(
        'req -x509 -new -key root.key -subj /C=FR/OU=unit/CN=root -days 36500 -addext keyUsage=critical,keyCertSign -text -out root.pem',
      );
      const authority = parseAuthority(read('root.pem'), new Secret(read('root.key')));
      const leaf = issueCertificate(authority, {
        identity,
        publicKey: createKeyPair(random).publicKey,
        usages: ['server auth'],
        notBeforeMs: authority.certificate.notBeforeMs,
        notAfterMs: authority.certificate.notBeforeMs + 86_400_000,
        random,
      });
      write('issued.pem', renderCertificate(leaf));
      const attime = leaf.notBeforeMs / 1_000 + 60;
      assert.match(openssl(`verify -x509_strict -attime ${attime} -CAfile root.pem issued.pem`), /OK/);
      assert.equal(openssl('x509 -in issued.pem -noout -serial').trim(), `serial=${leaf.serial.toUpperCase()}`);
    });
  }
});

describe('a chain with intermediates made by openssl', () => {
  const sign = (name: string, issuer: string, extensions: string): void => {
    write(`${name}.ext`, extensions);
    openssl(`req -new -newkey ed25519 -nodes -keyout ${name}.key -subj /CN=${name} -out ${name}.csr`);
    openssl(
      `x509 -req -in ${name}.csr -CA ${issuer}.pem -CAkey ${issuer}.key -CAcreateserial -days 3650 -extfile ${name}.ext -out ${name}.pem`,
    );
  };
  const ca = (pathLength: string): string =>
    `basicConstraints=critical,CA:TRUE${pathLength}\nkeyUsage=critical,keyCertSign`;
  const verdict = (roots: string, intermediates: readonly string[], name: string): string => {
    const [certificate] = parseCertificates(read(`${name}.pem`));
    const answer = checkChain({
      certificate,
      roots: parseCertificates(read(`${roots}.pem`)),
      intermediates: intermediates.flatMap((each) => parseCertificates(read(`${each}.pem`))),
      atMs: certificate.notBeforeMs,
      usage: 'client auth',
    });
    return answer.trusted ? answer.chain.map(({ commonName }) => commonName).join(' < ') : answer.fault;
  };

  test('is followed as far as every issuer allows', options, () => {
    write('top.ext', ca(',pathlen:2'));
    openssl('req -new -newkey ed25519 -nodes -keyout top.key -subj /CN=top -out top.csr');
    openssl('x509 -req -in top.csr -signkey top.key -days 3650 -extfile top.ext -out top.pem');
    sign('middle', 'top', ca(',pathlen:0'));
    sign('low', 'middle', ca(''));
    sign('leaf-of-middle', 'middle', 'extendedKeyUsage=clientAuth');
    sign('leaf-of-low', 'low', 'extendedKeyUsage=clientAuth');
    sign('wide', 'top', ca(''));
    sign('deep', 'wide', ca(''));
    sign('deeper', 'deep', ca(''));
    sign('leaf-of-deep', 'deep', 'extendedKeyUsage=clientAuth');
    sign('leaf-of-deeper', 'deeper', 'extendedKeyUsage=clientAuth');
    sign('constrained', 'top', `${ca('')}\nnameConstraints=critical,permitted;DNS:example.com`);
    sign('leaf-of-constrained', 'constrained', 'extendedKeyUsage=clientAuth');
    sign('server-ca', 'top', `${ca('')}\nextendedKeyUsage=serverAuth`);
    sign('leaf-of-server-ca', 'server-ca', 'extendedKeyUsage=clientAuth');

    assert.equal(verdict('top', ['low', 'middle'], 'leaf-of-middle'), 'leaf-of-middle < middle < top');
    assert.equal(verdict('top', [], 'leaf-of-middle'), 'UnknownIssuer');
    assert.equal(verdict('middle', [], 'leaf-of-middle'), 'leaf-of-middle < middle');
    assert.equal(verdict('top', ['low', 'middle'], 'leaf-of-low'), 'UnknownIssuer');
    assert.equal(verdict('top', ['deep', 'wide'], 'leaf-of-deep'), 'leaf-of-deep < deep < wide < top');
    assert.equal(verdict('top', ['deeper', 'deep', 'wide'], 'leaf-of-deeper'), 'UnknownIssuer');
    assert.equal(verdict('top', ['constrained'], 'leaf-of-constrained'), 'UnknownCritical');
    assert.equal(verdict('top', ['server-ca'], 'leaf-of-server-ca'), 'UsageNotAllowed');
  });
});
