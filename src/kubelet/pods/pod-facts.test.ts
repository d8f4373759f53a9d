import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DISPATCH_AUDIENCE } from '../../kinds/labels.ts';
import type { Container } from '../../kube/types/pod.ts';
import { parseDockerConfig } from './pull-credentials.ts';
import { refusePod } from './refuse-pod.ts';
import { restartAfterMs } from './restart-backoff.ts';
import { sizeVm } from './size-vm.ts';
import { samplePod, UID } from './testing/pod-samples.ts';
import { firstDueMs, tokensOf } from './tokens.ts';
import { legacyVmNameOf, parseVmName, vmNameOf } from './vm-name.ts';

describe('the size of a VM', () => {
  const rows: readonly [story: string, resources: Container['resources'], size: object][] = [
    [
      '§9.3-3 limits win over requests',
      { limits: { cpu: '4', memory: '8Gi' }, requests: { cpu: '2', memory: '1Gi' } },
      { cpus: 4, memoryMib: 8192 },
    ],
    [
      '§9.3-3 requests count where no limit is',
      { requests: { cpu: '2', memory: '1500Mi' } },
      { cpus: 2, memoryMib: 1500 },
    ],
    ['§9.3-3 3500m is three', { limits: { cpu: '3500m' } }, { cpus: 3 }],
    ['§9.3-3 nothing asked, nothing set', undefined, {}],
    ['less than one is nothing', { limits: { cpu: '500m', memory: '1000' } }, {}],
  ];
  for (const [story, resources, size] of rows)
    it(story, () => assert.deepEqual(sizeVm(resources === undefined ? {} : { resources }), size));
});

describe('the name of a VM', () => {
  it('is the Pod’s, with its UID, and parses back (D10)', () => {
    assert.equal(vmNameOf(samplePod()), `pod-job-${UID}`);
    assert.equal(parseVmName(`pod-job-${UID}`), UID);
  });
  it('has 63 characters at most, also for a Pod’s name of 253', () => {
    const vm = vmNameOf(samplePod({ metadata: { name: `${'a'.repeat(21)}.${'b'.repeat(231)}` } }));
    assert.ok(vm.length <= 63, vm);
    assert.equal(parseVmName(vm), UID);
  });
  it('F92: differs for a Pod that comes again under an old name', () => {
    const other = vmNameOf(samplePod({ metadata: { uid: UID.replace('1', '2') } }));
    assert.notEqual(other, vmNameOf(samplePod()));
  });
  it('was another in the Go original, which is known where a Mac is taken over', () => {
    assert.equal(legacyVmNameOf(samplePod()), 'ns-job');
    const long = legacyVmNameOf(samplePod({ metadata: { name: 'x'.repeat(80) } }));
    assert.match(long, /^ns-x{51}-[0-9a-f]{8}$/);
    assert.equal(long.length, 63);
    assert.equal(parseVmName(long), undefined);
  });
  for (const foreign of ['tuist-golden-9c8af651fdf30b10', 'ns-job', `my-${UID}`, UID, 'pod-x', `pod-x-${UID}-2`])
    it(`is not ${foreign}, which is somebody else’s`, () => assert.equal(parseVmName(foreign), undefined));
});

const TOKEN = { serviceAccountToken: { path: 'token' } };
const ROOT_CA = { configMap: { name: 'kube-root-ca.crt' } };
const NAMESPACE = { downwardAPI: {} };

describe('what is refused', () => {
  const rows: readonly [story: string, pod: Parameters<typeof samplePod>[0], says: RegExp | undefined][] = [
    ['an ordinary Pod is not', {}, undefined],
    [
      'a Pod with tokens in volumes is not',
      {
        spec: {
          volumes: [
            { name: 'kube-api-access-x', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
          ],
        },
      },
      undefined,
    ],
    [
      'two containers',
      {
        spec: {
          containers: [
            { name: 'a', image: 'i' },
            { name: 'b', image: 'i' },
          ],
        },
      },
      /one container per Pod, not 2/,
    ],
    ['init containers', { spec: { initContainers: [{ name: 'a' }] } }, /no init containers/],
    ['K14: a Pod for Linux', { spec: { os: { name: 'linux' } } }, /no Pods for linux/],
    ['the host’s network', { spec: { hostNetwork: true } }, /no hostNetwork/],
    [
      'a volume of another kind',
      { spec: { volumes: [{ name: 'data', hostPath: { path: '/' } }] } },
      /no volume of this type: data/,
    ],
    ['no image', { container: { image: '' } }, /has no image/],
    [
      'a Secret beside the token of a volume',
      {
        spec: {
          volumes: [
            {
              name: 'both',
              projected: { sources: [{ serviceAccountToken: { path: 't' } }, { secret: { name: 's' } }] },
            },
          ],
        },
      },
      /no volume of this type: both/,
    ],
    ['a volume of nothing', { spec: { volumes: [{ name: 'none', projected: { sources: [] } }] } }, /no volume .* none/],
    [
      'what every Pod is given beside its token is not',
      { spec: { volumes: [{ name: 'kube-api-access-x', projected: { sources: [TOKEN, ROOT_CA, NAMESPACE] } }] } },
      undefined,
    ],
    [
      'a Secret in a volume that only looks like the one that every Pod is given',
      { spec: { volumes: [{ name: 'kube-api-access-x', projected: { sources: [TOKEN, { secret: {} }] } }] } },
      /no volume of this type: kube-api-access-x/,
    ],
    [
      'a port of the host for UDP',
      { container: { ports: [{ containerPort: 53, hostPort: 5_353, protocol: 'UDP' }] } },
      /no hostPort for UDP: 5353/,
    ],
    [
      'a port of the host at an address of its own',
      { container: { ports: [{ containerPort: 80, hostPort: 8_080, hostIP: '127.0.0.1' }] } },
      /no hostIP: 127.0.0.1/,
    ],
    [
      'a port for UDP that is nobody’s but the VM’s is not, nor one for TCP at all addresses',
      {
        container: {
          ports: [
            { containerPort: 53, protocol: 'UDP' },
            { containerPort: 80, hostPort: 8_080, protocol: 'TCP', hostIP: '0.0.0.0' },
          ],
        },
      },
      undefined,
    ],
    ['names of its own', { spec: { hostAliases: [{ ip: '10.0.0.1', hostnames: ['db'] }] } }, /no hostAliases; /],
    ['name servers of its own', { spec: { dnsConfig: { nameservers: ['1.1.1.1'] } } }, /no dnsConfig with nameservers/],
    ['search domains of its own', { spec: { dnsConfig: { searches: ['corp'] } } }, /no dnsConfig with nameservers/],
    ['processes in common', { spec: { shareProcessNamespace: true } }, /no shareProcessNamespace/],
    ['a runtime of its own', { spec: { runtimeClassName: 'kata' } }, /no runtimeClassName: kata/],
    [
      'what says nothing of these is not',
      {
        spec: {
          ...{
            hostAliases: [],
            dnsConfig: { nameservers: [], searches: [], options: [{ name: 'ndots', value: '1' }] },
          },
          ...{ shareProcessNamespace: false, runtimeClassName: '', dnsPolicy: 'ClusterFirst' },
        },
      },
      undefined,
    ],
    ['claims of devices', { spec: { resourceClaims: [{ name: 'gpu' }] } }, /no resourceClaims: gpu/],
  ];
  for (const [story, pod, says] of rows) {
    it(story, () => {
      const refusal = refusePod(samplePod(pod));
      if (says === undefined) assert.equal(refusal, undefined);
      else assert.match(refusal ?? '', says);
    });
  }
  it('is said all at once', () =>
    assert.match(refusePod(samplePod({ spec: { hostNetwork: true, hostPID: true } })) ?? '', /hostNetwork.*hostPID/));
});

describe('the tokens of a Pod', () => {
  it('§7-29 are for the dispatch server, long enough for a job after a warm wait, only where a Pod asks', () => {
    assert.deepEqual(tokensOf(samplePod()), []);
    const [token] = tokensOf(samplePod({ spec: { automountServiceAccountToken: true } }));
    assert.deepEqual(token, { path: 'sa_token', audience: DISPATCH_AUDIENCE, seconds: 28_800 });
  });
  it('are those of the volumes that it mounts, but not the one that every Pod is given', () => {
    const source = {
      projected: { sources: [{ serviceAccountToken: { path: 't', audience: 'vault', expirationSeconds: 600 } }] },
    };
    const volumes = ['kube-api-access-1', 'vault', 'unused'].map((name) => ({ name, ...source }));
    const volumeMounts = ['kube-api-access-1', 'vault'].map((name) => ({ name, mountPath: `/${name}` }));
    const pod = samplePod({ spec: { volumes }, container: { volumeMounts } });
    assert.deepEqual(tokensOf(pod), [{ path: 'tokens/vault/t', audience: 'vault', seconds: 600 }]);
  });
  it('are due with the first of them, and never when there are none', () => {
    assert.equal(firstDueMs([{ dueMs: 800_000 }, { dueMs: 80_000 }]), 80_000);
    assert.equal(firstDueMs([]), Number.POSITIVE_INFINITY);
  });
});

describe('logins of registries', () => {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64');
  const auth = Buffer.from('ada:se:cret').toString('base64');
  const read = (text: string) =>
    parseDockerConfig(text).map(({ host, username, password }) => [host, username, password.reveal()]);
  it('are read from a docker config', () => {
    const auths = { 'https://ghcr.io/v1/': { auth }, 'r.example:5000': { username: 'u', password: 'p' }, bad: {} };
    assert.deepEqual(read(encode({ auths })), [
      ['ghcr.io', 'ada', 'se:cret'],
      ['r.example:5000', 'u', 'p'],
    ]);
  });
  it('are read from its older form', () =>
    assert.deepEqual(read(encode({ 'ghcr.io': { auth } })), [['ghcr.io', 'ada', 'se:cret']]));
  it('are none in garbage', () => assert.deepEqual(read('%%%'), []));
});

describe('the wait before a restart', () => {
  const entry = { uid: UID, namespace: 'ns', name: 'n', vm: 'v', image: 'i', stage: 'ended' } as const;
  const outcome = (ranMs: number) => ({ exitCode: 1, reason: 'Error', startedMs: 0, finishedMs: ranMs });
  const rows: readonly [restarts: number, ranMs: number, afterMs: number][] = [
    [0, 1_000, 0],
    [1, 1_000, 10_000],
    [2, 1_000, 20_000],
    [9, 1_000, 300_000],
    [9, 600_000, 10_000],
  ];
  for (const [restarts, ranMs, afterMs] of rows)
    it(`after ${restarts} restarts and a run of ${ranMs} ms: ${afterMs} ms`, () =>
      assert.equal(restartAfterMs({ ...entry, restarts, outcome: outcome(ranMs) }), afterMs));
});
