import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type KubeletFlags, metricsAddressOf, parseKubeletFlags } from './flags.ts';

describe('the flags of tart-kubelet', () => {
  it("are the Go original's, with its defaults", () => {
    const { nodeName, capacity, metrics, probes, tartBinary, vnc, scrapeAllowedCidrs, does, notes, ...rest } =
      parseKubeletFlags([]);
    assert.equal(nodeName, undefined);
    assert.deepEqual(capacity, { cpu: undefined, memoryMib: undefined, pods: 2 });
    assert.deepEqual(
      [metrics, probes],
      [
        { host: '', port: 8080 },
        { host: '', port: 8081 },
      ],
    );
    assert.equal(tartBinary, '/usr/local/bin/tart');
    assert.deepEqual(vnc, { controlDirectory: '/var/lib/tart-vnc-control', relayHost: '', relayPort: 0 });
    assert.equal(scrapeAllowedCidrs, undefined);
    assert.deepEqual([does, notes], ['run', []]);
    assert.deepEqual([rest.nodeIpSource, rest.collectsGarbage, rest.kubeletPort], ['auto', true, 10_250]);
  });

  it('take what the launchd job of a prepared Mac says', () => {
    const flags = parseKubeletFlags([
      ...['--node-name=mac-1', '--kubeconfig=/etc/tart-kubelet/kubeconfig', '--host-cpu=8', '--host-memory-mb=14336'],
      ...['--max-pods=3', '--node-labels=tuist.dev/fleet=ci,a=b', '--provider-id=scw-applesilicon://fr-par-1/x'],
      ...['--disable-vm-gc', '--vnc-relay-host=relay.example', '--vnc-relay-port=5901'],
    ]);
    assert.equal(flags.nodeName, 'mac-1');
    assert.deepEqual(flags.capacity, { cpu: 8, memoryMib: 14_336, pods: 3 });
    assert.deepEqual(flags.nodeLabels, { 'tuist.dev/fleet': 'ci', a: 'b' });
    assert.equal(flags.collectsGarbage, false);
    assert.deepEqual([flags.vnc?.relayHost, flags.vnc?.relayPort], ['relay.example', 5901]);
    assert.match(flags.notes.join(), /macOS runs 2 VMs at once/);
  });

  interface Row {
    readonly story: string;
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly gives: (flags: KubeletFlags) => unknown;
    readonly is: unknown;
  }
  const ROWS: readonly Row[] = [
    { story: 'a variable counts', env: { TART_KUBELET_NODE_NAME: 'mac-2' }, gives: (f) => f.nodeName, is: 'mac-2' },
    {
      story: 'a flag wins over its variable',
      args: ['--node-name', 'mac-1'],
      env: { TART_KUBELET_NODE_NAME: 'mac-2' },
      gives: (f) => f.nodeName,
      is: 'mac-1',
    },
    {
      story: 'an empty variable says nothing',
      env: { TART_KUBELET_VNC_RELAY_PORT: '' },
      gives: (f) => f.vnc?.relayPort,
      is: 0,
    },
    {
      story: 'blanks and empty pairs of labels do not count',
      args: ['--node-labels', ' a = 1 ,, b=2,'],
      gives: (f) => f.nodeLabels,
      is: { a: '1', b: '2' },
    },
    {
      story: 'a label may hold an equals sign',
      args: ['--node-labels=a=b=c'],
      gives: (f) => f.nodeLabels,
      is: { a: 'b=c' },
    },
    {
      story: 'zeroes mean the usual',
      args: ['--host-cpu=0', '--max-pods=0'],
      gives: (f) => f.capacity,
      is: { cpu: undefined, memoryMib: undefined, pods: 2 },
    },
    { story: 'no control folder means no relays', args: ['--vnc-control-dir='], gives: (f) => f.vnc, is: undefined },
    { story: 'one dash is enough', args: ['-node-name=mac-1'], gives: (f) => f.nodeName, is: 'mac-1' },
    {
      story: 'ranges add up',
      args: ['--scrape-allowed-cidr=10.0.0.0/8', '--scrape-allowed-cidr=::1/128'],
      gives: (f) => f.scrapeAllowedCidrs?.map(({ text }) => text),
      is: ['10.0.0.0/8', '::1/128'],
    },
    {
      story: 'collection may be said not to be off',
      args: ['--disable-vm-gc=false'],
      gives: (f) => f.collectsGarbage,
      is: true,
    },
    { story: 'metrics may be nowhere', args: ['--metrics-bind-address=0'], gives: (f) => f.metrics, is: 'off' },
    {
      story: 'cache volumes are noted to be missing',
      args: ['--runner-cache-root=/Volumes/c'],
      gives: (f) => f.notes,
      is: ['--runner-cache-root has no effect: there are no cache volumes here; every VM starts cold'],
    },
    { story: 'asked to check', args: ['--check'], gives: (f) => f.does, is: 'check' },
    { story: 'asked for its version', args: ['--version'], gives: (f) => f.does, is: 'tell-version' },
  ];
  for (const { story, args = [], env = {}, gives, is } of ROWS) {
    it(story, () => assert.deepEqual(gives(parseKubeletFlags(args, env)), is));
  }

  const REFUSED = [
    {
      story: 'another source of addresses',
      args: ['--node-ip-source=dns'],
      says: /--node-ip-source: "dns" is no source/,
    },
    {
      story: 'a range that is none',
      args: ['--scrape-allowed-cidr=10.0.0.0'],
      says: /--scrape-allowed-cidr: "10.0.0.0" is no range/,
    },
    { story: 'a label without a value', args: ['--node-labels=a'], says: /"a" is no label/ },
    { story: 'a label without a key', args: ['--node-labels==a'], says: /"=a" is no label/ },
    { story: 'a port past all ports', args: ['--vnc-relay-port=65536'], says: /--vnc-relay-port: "65536" is no port/ },
    {
      story: 'a number that is none, by a variable',
      args: [],
      env: { TART_KUBELET_VNC_RELAY_PORT: 'x' },
      says: /--vnc-relay-port: "x" is no port/,
    },
    {
      story: 'a Node name that Kubernetes would refuse',
      args: ['--node-name=Mac_1'],
      says: /"Mac_1" is no name of a Node/,
    },
    { story: 'a flag that nobody knows', args: ['--nod-name=x'], says: /unknown option/ },
    { story: 'a relative path to tart', args: ['--tart-binary=tart'], says: /"tart" is no absolute path/ },
  ];
  for (const { story, args, env = {}, says } of REFUSED) {
    it(`refuse ${story}`, () => assert.throws(() => parseKubeletFlags(args, env), says));
  }

  const METRICS = [
    { story: 'on every interface', args: [], is: { host: '', port: 8080 } },
    { story: 'on the tailnet alone', args: ['--node-ip-source=tailscale'], is: { host: '100.64.0.7', port: 8080 } },
    {
      story: 'where they are asked for',
      args: ['--node-ip-source=tailscale', '--metrics-bind-address=:9090'],
      is: { host: '', port: 9090 },
    },
    { story: 'nowhere', args: ['--node-ip-source=tailscale', '--metrics-bind-address=0'], is: 'off' },
  ];
  for (const { story, args, is } of METRICS) {
    it(`have metrics served ${story}`, () =>
      assert.deepEqual(metricsAddressOf(parseKubeletFlags(args), '100.64.0.7'), is));
  }
});
