/**
 * tart-kubelet on a real Kubernetes that signs certificates for less than a minute: it goes from each to the next, as a client and as a
 * server, and nobody sees a difference.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { Secret } from '../../src/base/secret.ts';
import { parseKeptIdentity } from '../../src/kube/node/kept-identity.ts';
import { type Certificate, parseCertificates } from '../../src/pki/certificate.ts';
import { startCluster } from './bench.ts';
import type { KubeletMac } from './tart-kubelet/kubelet-mac.ts';
import { type MacPark, openMacPark } from './tart-kubelet/mac-park.ts';
import { renderJob, untilFile } from './tart-kubelet/workloads.ts';

const LIFE_SECONDS = 30;

/** What lies on its disk. */
const clientCertificateOf = ({ folder }: KubeletMac): Certificate => {
  const { current } = parseKeptIdentity(new Secret(readFileSync(join(folder, 'identity.json'), 'utf8')));
  assert.ok(current !== undefined);
  return parseCertificates(current.certificatePem)[0];
};

/** What it shows to whoever connects; undefined before the first. */
const servingCertificateOf = async (
  { kubectl, cluster }: MacPark,
  mac: KubeletMac,
): Promise<Certificate | undefined> => {
  const port = Number(
    await kubectl(`get node ${mac.nodeName} -o jsonpath={.status.daemonEndpoints.kubeletEndpoint.Port}`),
  );
  const socket = connect({ port, host: '127.0.0.1', ca: cluster.caPem, servername: mac.nodeName });
  try {
    await once(socket, 'secureConnect');
    const shown = socket.getPeerX509Certificate();
    return shown && parseCertificates(shown.toString())[0];
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
};

const isLonger = (one: Certificate, other: Certificate): boolean =>
  one.notAfterMs > other.notAfterMs && one.serial !== other.serial;

test(`certificates that live ${LIFE_SECONDS} s are replaced in time, and work goes on`, {
  timeout: 200_000,
}, async (t) => {
  const cluster = await startCluster({ parts: 'kubernetes', signingSeconds: LIFE_SECONDS });
  const park = await openMacPark(t, { macs: 1, cluster });
  // After all that the park takes back.
  t.after(() => cluster.stop());
  const { kubectl, until, fleet } = park;
  const [mac] = park.macs;
  assert.ok(mac);
  const first = {
    client: clientCertificateOf(mac),
    serving: await until('it serves', () => servingCertificateOf(park, mac)),
  };
  const gate = join(mac.folder, 'gate');
  const script = `echo before; ${untilFile(gate)}; echo after`;
  await kubectl('create -f -', renderJob({ name: 'long', fleet, script }));
  await kubectl('wait --for=jsonpath={.status.phase}=Running --timeout=50s pod -l job-name=long');
  const followed = kubectl('logs -f job/long');
  await until('both are replaced', async () => {
    const serving = await servingCertificateOf(park, mac);
    return (
      serving !== undefined && isLonger(serving, first.serving) && isLonger(clientCertificateOf(mac), first.client)
    );
  });
  const firstEndMs = Math.max(first.client.notAfterMs, first.serving.notAfterMs);
  await until('the first ones are over', async () => Date.now() > firstEndMs);
  assert.match(await kubectl('logs job/long'), /^before\n$/, 'the API server takes what it shows now');
  assert.match(await kubectl(`get node ${mac.nodeName} --no-headers`), / Ready /);
  await kubectl('create -f -', renderJob({ name: 'next', fleet, script: 'echo later' }));
  assert.match(await kubectl('wait --for=condition=complete --timeout=50s job/next'), /condition met/);
  writeFileSync(gate, '');
  assert.equal(await followed, 'before\nafter\n', 'who followed the log from the start has missed nothing');
  assert.doesNotMatch(mac.said(), /Unauthorized|expired/);
});
