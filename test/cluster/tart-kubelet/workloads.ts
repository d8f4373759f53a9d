/** What a user runs on Macs: a web server of several replicas behind a Service, with a budget, and jobs. */

const onMacs = (fleet: string) => ({
  nodeSelector: { 'tuist.dev/fleet': fleet },
  tolerations: [{ key: 'tuist.dev/macos', operator: 'Exists' }],
});

const IMAGE = 'ghcr.io/acme/macos:1';

/** A file of this name on its disk makes a server say that it is not ready. */
export const UNREADY_FILE = 'unready';

const SERVER = `
const { existsSync } = require('node:fs');
const { VERSION, GUEST_LISTEN } = process.env;
const answer = (asked, response) => response.writeHead(existsSync('${UNREADY_FILE}') ? 503 : 200).end();
require('node:http').createServer(answer).listen(8080, GUEST_LISTEN, () => console.log('serving', VERSION));
`;

/** One on each Mac, where there is room. */
const spread = (app: string) => ({
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 100,
        podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app } } },
      },
    ],
  },
});

/** Guests of the simulated Tart are processes of this machine: its Node serves there. */
const renderServer = () => ({
  name: 'main',
  image: IMAGE,
  command: [process.execPath, '-e', SERVER],
  env: [{ name: 'VERSION', value: 'one' }],
  ports: [{ containerPort: 8080 }],
  readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1, failureThreshold: 1 },
});

/** `web`: a Deployment, its Service, and a budget that lets nobody disrupt any of them. */
export const renderWeb = (fleet: string, replicas: number): object => {
  const labels = { app: 'web' };
  const selector = { matchLabels: labels };
  const deployment = {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } },
    spec: {
      ...{ replicas, selector, strategy: { rollingUpdate: { maxSurge: replicas, maxUnavailable: 0 } } },
      template: {
        metadata: { labels },
        spec: {
          ...{ ...onMacs(fleet), affinity: spread('web'), terminationGracePeriodSeconds: 5 },
          containers: [renderServer()],
        },
      },
    },
  };
  const service = {
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } },
    spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
  };
  const budget = {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'web' } },
    spec: { selector, minAvailable: replicas },
  };
  return { apiVersion: 'v1', kind: 'List', items: [deployment, service, budget] };
};

export interface JobWish {
  readonly name: string;
  readonly fleet: string;
  /** On this Mac and no other. */
  readonly nodeName?: string;
  readonly script: string;
  /** So many times, all at once, each with its JOB_COMPLETION_INDEX; once unless given. */
  readonly completions?: number;
  /** How often it is tried again; twice unless given. */
  readonly backoffLimit?: number;
}

export const renderJob = (wish: JobWish): object => {
  const { name, fleet, nodeName, script, completions = 1, backoffLimit = 2 } = wish;
  const { nodeSelector, tolerations } = onMacs(fleet);
  const host = nodeName === undefined ? {} : { 'kubernetes.io/hostname': nodeName };
  return {
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name } },
    spec: {
      ...{ completions, parallelism: completions, backoffLimit },
      completionMode: completions > 1 ? 'Indexed' : 'NonIndexed',
      template: {
        metadata: { labels: { app: name } },
        spec: {
          ...{ restartPolicy: 'Never', nodeSelector: { ...nodeSelector, ...host }, tolerations },
          ...{ affinity: spread(name), terminationGracePeriodSeconds: 1 },
          containers: [{ name: 'main', image: IMAGE, command: ['/bin/sh', '-c', script] }],
        },
      },
    },
  };
};

/** Ends once the file is there. */
export const untilFile = (path: string): string =>
  `n=0; until [ -e ${path} ] || [ $n -gt 1000 ]; do n=$((n + 1)); sleep 0.1; done`;
