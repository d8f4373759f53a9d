import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseRunnersFlags } from './runners-flags.ts';

const URL = 'https://tuist.test/api/internal/runners/dispatch';
const NEEDED = ['--dispatch-url', URL];

describe('flags of the runners controller (§3.2)', () => {
  it("have the Go original's defaults", () => {
    assert.deepEqual(parseRunnersFlags(NEEDED), {
      kubeconfig: undefined,
      namespace: 'tuist-runners',
      lease: { namespace: undefined, times: undefined },
      metrics: { host: '', port: 8080 },
      probes: { host: '', port: 8081 },
      guests: { dispatchUrl: URL },
      sessionsUrl: undefined,
      scalingUrl: undefined,
      tokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
      notes: [],
    });
  });

  it('come from variables where they are not given', () => {
    const flags = parseRunnersFlags([], {
      TUIST_RUNNER_DISPATCH_URL: URL,
      TUIST_SCALING_SIGNALS_URL: 'https://tuist.test/s',
      TUIST_RUNNER_SESSIONS_URL: 'https://tuist.test/r',
      TUIST_RUNNERS_NAMESPACE: 'ci',
      TUIST_RUNNER_CLUSTER_DNS_IP: '10.0.0.10',
    });
    assert.deepEqual(
      [flags.scalingUrl, flags.sessionsUrl, flags.namespace, flags.guests.clusterDns],
      ['https://tuist.test/s', 'https://tuist.test/r', 'ci', { ip: '10.0.0.10', domain: 'cluster.local' }],
    );
  });

  it('for linux runners are taken, and said to be without effect', () => {
    const { notes } = parseRunnersFlags([...NEEDED, '--dind-image', 'docker:dind']);
    assert.match(notes.join(), /--dind-image.*linux/);
  });

  const rows = [
    { story: 'no dispatcher for guests', args: [], code: 'NoDispatchUrl' },
    { story: 'a URL that is none', args: ['--dispatch-url', 'tuist'], code: 'BadUrl' },
    { story: 'a URL with a password', args: [...NEEDED, '--sessions-url', 'https://a:b@tuist.test'], code: 'BadUrl' },
    { story: 'a namespace that is none', args: [...NEEDED, '--namespace', 'A B'], code: 'BadNamespace' },
    { story: 'an address that is none', args: [...NEEDED, '--metrics-bind-address', 'here'], code: 'BadAddress' },
  ];
  for (const { story, args, code } of rows)
    it(`refuse ${story}`, () => assert.throws(() => parseRunnersFlags(args), { kind: 'invalid', code }));
});
