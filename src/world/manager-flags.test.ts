import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createManagerCommand, parseManagerFlags } from './manager-flags.ts';

const OPTIONS = new Map(createManagerCommand().options.map((option) => [option.long, option]));

describe('a manager works on', () => {
  test('the Scaleway project that it is told of, in these zones', () => {
    const args = ['--scaleway', '--scaleway-credentials', '/s', '--zones', 'fr-par-1, fr-par-3'];
    assert.partialDeepStrictEqual(parseManagerFlags([...args, '--default-adopt-pool-prefix', 'pool-']).work, {
      ...{ on: 'scaleway', credentialsDirectory: '/s', zones: ['fr-par-1', 'fr-par-3'], poolPrefix: 'pool-' },
    });
  });

  test('what SCW_* says when nothing else is said, and only on Macs whose machine names a prefix', () => {
    const { work } = parseManagerFlags(['--scaleway']);
    assert.deepEqual(work, {
      ...{ on: 'scaleway', credentialsDirectory: undefined, zones: undefined, poolPrefix: '', sshPort: 22 },
      githubApiUrl: 'https://api.github.com',
      hostTimes: 'normal',
      artefactPaths: {
        tart: '/opt/tart/tart.tar.gz',
        node: '/opt/tart-kubelet/node-darwin-arm64.gz',
        agent: '/opt/tart-kubelet/tart-kubelet.mjs',
      },
      stepInputs: { hostCpu: '8', hostMemoryMb: '16384', maxPods: '2' },
    });
  });

  test('with a GitHub that is elsewhere, also one on this machine', () => {
    for (const url of ['https://github.test/api/v3', 'http://127.0.0.1:8080'])
      assert.partialDeepStrictEqual(parseManagerFlags(['--scaleway', `--github-api-url=${url}`]).work, {
        githubApiUrl: url,
      });
  });

  test('Macs on which it puts what it is told, and that offer what it is told', () => {
    const files = ['--tart-tarball-path=/t', '--tartkubelet-runtime-path=/n', '--tartkubelet-bundle-path=/a'];
    const sizes = ['--tartkubelet-host-cpu=10', '--tartkubelet-host-memory-mb=14336', '--tartkubelet-max-pods=1'];
    assert.partialDeepStrictEqual(parseManagerFlags(['--scaleway', '--ssh-port=2222', ...files, ...sizes]).work, {
      ...{ sshPort: 2_222, artefactPaths: { tart: '/t', node: '/n', agent: '/a' } },
      stepInputs: { hostCpu: '10', hostMemoryMb: '14336', maxPods: '1' },
    });
  });

  test('simulated Macs, a hundred times as fast as life unless told otherwise', () => {
    const common = { on: 'simulated-macs', macs: 3, joinKubeconfig: undefined, projectId: undefined };
    assert.deepEqual(parseManagerFlags(['--simulated-macs', '3']).work, { ...common, speedUp: 100 });
    assert.deepEqual(parseManagerFlags(['--simulated-macs', '3', '--speed-up', '7']).work, { ...common, speedUp: 7 });
  });

  const zones: readonly { story: string; args: readonly string[]; env?: string; zones: readonly string[] }[] = [
    { story: 'the zones that the original swept', args: [], env: 'fr-par-1,fr-par-3', zones: ['fr-par-1', 'fr-par-3'] },
    {
      story: 'those of its flag before those of its variable',
      args: ['--orphan-reclaim-zones=a'],
      env: 'b',
      zones: ['a'],
    },
    { story: 'those of --zones before either', args: ['--zones=c', '--orphan-reclaim-zones=a'], zones: ['c'] },
  ];
  for (const row of zones) {
    test(row.story, () => {
      const { work } = parseManagerFlags(['--scaleway', ...row.args], { CAPI_ORPHAN_RECLAIM_ZONES: row.env });
      assert.deepEqual(work.on === 'scaleway' ? work.zones : undefined, row.zones);
    });
  }
});

describe('the flags of the Go original', () => {
  const rows: readonly { flag: string; standard: string; env?: string }[] = [
    { flag: '--metrics-bind-address', standard: ':8080' },
    { flag: '--health-probe-bind-address', standard: ':8081' },
    { flag: '--leader-elect', standard: 'true' },
    { flag: '--secrets-namespace', standard: 'default' },
    { flag: '--api-server-url', standard: 'none', env: 'CAPI_TARTKUBELET_API_SERVER_URL' },
    { flag: '--node-identity-cluster-role', standard: 'tart-kubelet', env: 'CAPI_NODE_IDENTITY_CLUSTER_ROLE' },
    {
      flag: '--tartkubelet-binary-path',
      standard: '/opt/tart-kubelet/tart-kubelet-darwin-arm64',
      env: 'CAPI_TARTKUBELET_BINARY_PATH',
    },
    { flag: '--tart-tarball-path', standard: '/opt/tart/tart.tar.gz', env: 'CAPI_TART_TARBALL_PATH' },
    { flag: '--tartkubelet-host-cpu', standard: '8' },
    { flag: '--tartkubelet-host-memory-mb', standard: '16384' },
    { flag: '--tartkubelet-max-pods', standard: '2' },
    { flag: '--tartkubelet-max-update-attempts', standard: '5' },
    { flag: '--tartkubelet-terminal-retry-after', standard: '30m' },
    { flag: '--bootstrap-reboot-after', standard: '3' },
    { flag: '--bootstrap-max-attempts', standard: '8' },
    { flag: '--machine-max-concurrent-reconciles', standard: '4' },
    { flag: '--fleet-spread-deployment', standard: 'none', env: 'CAPI_FLEET_SPREAD_DEPLOYMENT' },
    { flag: '--fleet-spread-namespace', standard: 'none', env: 'CAPI_FLEET_SPREAD_NAMESPACE' },
    { flag: '--default-adopt-pool-prefix', standard: 'none', env: 'CAPI_DEFAULT_ADOPT_POOL_PREFIX' },
    { flag: '--orphan-reclaim-claim-name-prefix', standard: 'none', env: 'CAPI_ORPHAN_RECLAIM_CLAIM_NAME_PREFIX' },
    { flag: '--orphan-reclaim-zones', standard: 'fr-par-1', env: 'CAPI_ORPHAN_RECLAIM_ZONES' },
    { flag: '--orphan-reclaim-interval', standard: '15m' },
    { flag: '--tailscale-binaries-path', standard: 'none', env: 'CAPI_TAILSCALE_BINARIES_PATH' },
    { flag: '--node-exporter-binary-path', standard: 'none', env: 'CAPI_NODE_EXPORTER_BINARY_PATH' },
    { flag: '--tailscale-auth-key-secret-name', standard: 'none', env: 'CAPI_TAILSCALE_AUTH_KEY_SECRET_NAME' },
    { flag: '--tailscale-tags', standard: 'none', env: 'CAPI_TAILSCALE_TAGS' },
    { flag: '--tailscale-accept-routes', standard: 'false', env: 'CAPI_TAILSCALE_ACCEPT_ROUTES' },
    { flag: '--tailscale-egress-proxy-group', standard: 'none', env: 'CAPI_TAILSCALE_EGRESS_PROXY_GROUP' },
    { flag: '--tailscale-egress-namespace', standard: 'tailscale-operator', env: 'CAPI_TAILSCALE_EGRESS_NAMESPACE' },
    { flag: '--tailscale-egress-magicdns-suffix', standard: 'none', env: 'CAPI_TAILSCALE_EGRESS_MAGICDNS_SUFFIX' },
    { flag: '--log-shipper-binary-path', standard: 'none', env: 'CAPI_LOG_SHIPPER_BINARY_PATH' },
    { flag: '--log-ship-url', standard: 'none', env: 'CAPI_LOG_SHIP_URL' },
    { flag: '--log-ship-env', standard: 'none', env: 'CAPI_LOG_SHIP_ENV' },
    { flag: '--vm-kura-egress-cidr', standard: 'none', env: 'CAPI_VM_KURA_EGRESS_CIDR' },
    { flag: '--vm-cluster-dns-ip', standard: 'none', env: 'CAPI_VM_CLUSTER_DNS_IP' },
    { flag: '--vm-cache-pn-name', standard: 'none', env: 'CAPI_VM_CACHE_PN_NAME' },
    { flag: '--vm-cache-pn-cidr', standard: 'none', env: 'CAPI_VM_CACHE_PN_CIDR' },
    { flag: '--ssh-ingress-allow-cidrs', standard: 'none', env: 'CAPI_SSH_INGRESS_ALLOW_CIDRS' },
    { flag: '--runner-cache-volume-gib', standard: '0' },
    { flag: '--cache-volume-master-cap-gib', standard: '0' },
    { flag: '--cache-volume-cas-gib', standard: '0' },
  ];
  for (const { flag, standard, env } of rows) {
    test(`${flag} is known, by default ${standard}`, () => {
      const option = OPTIONS.get(flag);
      assert.equal(option?.defaultValueDescription, standard);
      assert.equal(/\(variable (\w+)\)/.exec(option.description)?.[1], env);
    });
  }

  test('say by default what the original does by default', () => {
    const { fleet, lease, metrics, probes, kubeconfig, apiServerUrl, notes } = parseManagerFlags(['--scaleway']);
    assert.deepEqual(fleet, {
      ...{ namespace: undefined, secretsNamespace: 'default', remoteAccount: 'capi-remote' },
      limits: { rebootAfter: 3, releaseAfter: 8, reinstallsPerHour: 30 },
      roll: { cap: 5, retryAfterMs: 1_800_000, paceMs: 60_000, settleMs: 120_000, fraction: 0.25 },
      ...{ poolNamespaces: new Map(), spread: undefined, machineWorkers: 4 },
      orders: { maxHosts: 0, maxPerDay: 0, namespaces: new Map() },
    });
    assert.deepEqual(lease, { namespace: undefined, times: undefined });
    assert.deepEqual(
      [metrics, probes],
      [
        { host: '', port: 8080 },
        { host: '', port: 8081 },
      ],
    );
    assert.deepEqual([kubeconfig, apiServerUrl, notes], [undefined, undefined, []]);
  });

  test('are taken as its chart gives them, and those without effect are told of', () => {
    const { fleet, notes } = parseManagerFlags([
      ...['--scaleway', '--leader-elect', '--secrets-namespace=tuist', '--tartkubelet-binary-path=/agent'],
      ...['--orphan-reclaim-claim-name-prefix=tuist-', '--tailscale-tags=', '--tailscale-accept-routes=false'],
      ...['--machine-max-concurrent-reconciles=4', '--fleet-spread-deployment=web'],
    ]);
    assert.deepEqual(fleet.spread, { name: 'web', namespace: 'tuist' });
    assert.deepEqual(
      notes.map((note) => note.split(': ')[0]),
      ['--tartkubelet-binary-path has no effect'],
    );
    assert.deepEqual(fleet.limits.reclaim, { claimPrefix: 'tuist-', afterMs: 900_000 });
  });
});

describe('a manager', () => {
  const read = (...args: readonly string[]) => parseManagerFlags(['--scaleway', ...args]);

  test('R26 lets namespaces adopt from the pools that it is told', () => {
    const { fleet } = read('--pool-namespaces', 'a-=ci, tests', '--pool-namespaces=b-=ci', '--pool-namespaces=a-=more');
    assert.deepEqual(
      [...fleet.poolNamespaces].map(([prefix, namespaces]) => [prefix, [...namespaces]]),
      [
        ['a-', ['ci', 'tests', 'more']],
        ['b-', ['ci']],
      ],
    );
  });

  test('R25 rents as many Macs as it is told, for whom it is told', () => {
    const { fleet } = read('--max-ordered-hosts=3', '--max-orders-per-day=2', '--order-namespaces=ci=1');
    assert.deepEqual(fleet.orders, { maxHosts: 3, maxPerDay: 2, namespaces: new Map([['ci', 1]]) });
  });

  test('I-03 works on as many machines at once as it is told', () => {
    assert.equal(read('--machine-max-concurrent-reconciles=9').fleet.machineWorkers, 9);
  });

  test('goes as far as it is told', () => {
    const { fleet } = read('--bootstrap-reboot-after=0', '--bootstrap-max-attempts=20', '--max-reinstalls-per-hour=2');
    assert.deepEqual(fleet.limits, { rebootAfter: 0, releaseAfter: 20, reinstallsPerHour: 2 });
  });

  test('R27 has leases of two paces, or none', () => {
    const { lease } = read('--lease-profile', 'fast', '--lease-namespace', 'tuist');
    assert.equal(lease?.times?.durationMs, 2_000);
    assert.equal(lease.namespace, 'tuist');
    assert.equal(read('--leader-elect=false').lease, undefined);
  });

  test('serves where it is told', () => {
    const { metrics, probes } = read('--metrics-bind-address=[::1]:0', '--health-probe-bind-address', '0');
    assert.deepEqual([metrics, probes], [{ host: '::1', port: 0 }, 'off']);
  });

  test('takes what a variable says where no flag does', () => {
    const env = { CAPI_TARTKUBELET_API_SERVER_URL: 'https://a.test:6443', CAPI_DEFAULT_ADOPT_POOL_PREFIX: '' };
    assert.equal(parseManagerFlags(['--scaleway'], env).apiServerUrl, 'https://a.test:6443');
    assert.equal(
      parseManagerFlags(['--scaleway', '--api-server-url=https://b.test/'], env).apiServerUrl,
      'https://b.test',
    );
  });

  test('leaves the kubeconfig of core to others on simulated Macs, and where it is told to', () => {
    assert.equal(parseManagerFlags(['--simulated-macs=1']).fleet.remoteAccount, '');
    assert.equal(read('--capi-remote-account=').fleet.remoteAccount, '');
    assert.equal(parseManagerFlags(['--simulated-macs=1', '--capi-remote-account=core']).fleet.remoteAccount, 'core');
  });

  test('groups its help', () => {
    const help = createManagerCommand().helpInformation();
    const titles = ['Cluster', 'Scaleway', 'Fleet', 'Recovery of Macs', 'Rolls of the host configuration'];
    for (const title of [...titles, 'Health and metrics']) assert.match(help, new RegExp(`^${title}:$`, 'm'));
  });
});

describe('a manager refuses', () => {
  const rows: readonly { story: string; args: readonly string[]; code: string; says?: RegExp }[] = [
    { story: 'a count that is none', args: ['--simulated-macs', 'many'], code: 'BadNumber' },
    { story: 'to stand still', args: ['--simulated-macs', '1', '--speed-up', '0'], code: 'BadNumber' },
    { story: 'a flag that nobody knows', args: ['--no-such-flag'], code: 'BadUsage', says: /--no-such-flag/ },
    { story: 'a flag without its value', args: ['--zones'], code: 'BadUsage', says: /--zones/ },
    {
      story: 'real and simulated Macs at once',
      args: ['--simulated-macs', '1'],
      code: 'BadUsage',
      says: /conflict|cannot/,
    },
    { story: 'a port past the last', args: ['--metrics-bind-address', ':70000'], code: 'BadAddress', says: /70000/ },
    { story: 'an address without a port', args: ['--health-probe-bind-address', 'here'], code: 'BadAddress' },
    { story: 'leadership perhaps', args: ['--leader-elect=perhaps'], code: 'BadBoolean', says: /^--leader-elect: / },
    { story: 'a pace that it has not', args: ['--lease-profile=slow'], code: 'BadLeaseProfile' },
    { story: 'times that it has not', args: ['--scaleway', '--host-times=none'], code: 'BadHostTimes' },
    { story: 'a namespace in capitals', args: ['--secrets-namespace=Tuist'], code: 'BadNamespace' },
    { story: 'a namespace for Leases that is none', args: ['--lease-namespace=a/b'], code: 'BadNamespace' },
    { story: 'a namespace to spread in that is none', args: ['--fleet-spread-namespace=_'], code: 'BadNamespace' },
    { story: 'a Deployment that cannot be', args: ['--fleet-spread-deployment=a b'], code: 'BadName' },
    { story: 'an API server without TLS', args: ['--api-server-url=http://a.test'], code: 'BadUrl', says: /http:/ },
    { story: 'a GitHub without TLS', args: ['--github-api-url=http://github.test'], code: 'BadUrl', says: /GitHub/ },
    { story: 'a GitHub that is none', args: ['--github-api-url='], code: 'BadUrl' },
    { story: 'an API server under a path', args: ['--api-server-url=https://a.test/k8s'], code: 'BadUrl' },
    {
      story: 'a prefix that would match its own names',
      args: ['--default-adopt-pool-prefix=tuist-releasing-'],
      code: 'BadPoolPrefix',
    },
    { story: 'a prefix with a blank', args: ['--default-adopt-pool-prefix=my pool'], code: 'BadPoolPrefix' },
    { story: 'a pool without namespaces', args: ['--pool-namespaces=a-='], code: 'BadPoolNamespaces' },
    { story: 'namespaces without a pool', args: ['--pool-namespaces=ci'], code: 'BadPoolNamespaces' },
    { story: 'a pool for a namespace that is none', args: ['--pool-namespaces=a-=CI'], code: 'BadNamespace' },
    { story: 'half a failure', args: ['--bootstrap-reboot-after=1.5'], code: 'BadNumber' },
    { story: 'less than no failures', args: ['--bootstrap-max-attempts=-1'], code: 'BadNumber' },
    { story: 'never to wipe', args: ['--max-reinstalls-per-hour=0'], code: 'BadNumber' },
    { story: 'no workers', args: ['--machine-max-concurrent-reconciles=0'], code: 'BadNumber' },
    { story: 'an SSH port that is none', args: ['--ssh-port=0'], code: 'BadNumber', says: /--ssh-port/ },
    { story: 'no CPU', args: ['--tartkubelet-host-cpu=0'], code: 'BadNumber' },
    { story: 'a time without a unit', args: ['--tartkubelet-terminal-retry-after=30'], code: 'BadDuration' },
    { story: 'an interval that is none', args: ['--orphan-reclaim-interval=often'], code: 'BadDuration' },
    { story: 'R25 less than no Macs', args: ['--max-ordered-hosts=-1'], code: 'BadNumber' },
    { story: 'R25 a namespace without a number', args: ['--order-namespaces=ci'], code: 'BadOrderNamespaces' },
    { story: 'R25 a number that is none', args: ['--order-namespaces=ci=some'], code: 'BadNumber' },
    {
      story: 'a tailnet',
      args: ['--tailscale-tags=tag:ci'],
      code: 'FlagNotSupported',
      says: /--tailscale-tags is set/,
    },
    { story: 'routes of a tailnet', args: ['--tailscale-accept-routes'], code: 'FlagNotSupported' },
    { story: 'to ship logs', args: ['--log-ship-url=https://logs.test'], code: 'FlagNotSupported', says: /logs/ },
    { story: 'a private network', args: ['--vm-cache-pn-name=caches'], code: 'FlagNotSupported', says: /network/ },
    { story: 'a guard of SSH', args: ['--ssh-ingress-allow-cidrs=10.0.0.0/8'], code: 'FlagNotSupported' },
    { story: 'volumes for caches', args: ['--runner-cache-volume-gib=50'], code: 'FlagNotSupported', says: /volume/ },
  ];
  for (const { story, args, code, says = /./ } of rows) {
    const work = args.some((arg) => arg === '--speed-up' || arg === 'many') ? [] : ['--scaleway'];
    test(story, () =>
      assert.throws(() => parseManagerFlags([...work, ...args]), { kind: 'invalid', code, message: says }),
    );
  }

  test('to work on nothing', () => assert.throws(() => parseManagerFlags([]), { code: 'NothingToWorkOn' }));

  test('what a variable asks for that is not here, and names the variable', () => {
    assert.throws(() => parseManagerFlags(['--scaleway'], { CAPI_LOG_SHIP_URL: 'https://logs.test' }), {
      code: 'FlagNotSupported',
      hint: /CAPI_LOG_SHIP_URL/,
    });
  });
});
