/** What the control planes are filled with. */

export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
export const PODS = '/api/v1/namespaces/default/pods';
export const NODES = '/api/v1/nodes';

const FILLING = 'abcdefghij'.repeat(280);

/** About 3 KB. */
export const configMap = (name: string): string =>
  JSON.stringify({ metadata: { name, labels: { app: 'bench' } }, data: { text: FILLING } });

/** About 1 KB. */
export const smallConfigMap = (name: string): string =>
  JSON.stringify({ metadata: { name, labels: { app: 'bench' } }, data: { text: 'x'.repeat(500) } });

/** As a Deployment would make it; by default no scheduler touches it. */
export const pod = (name: string, schedulerName = 'nobody'): string =>
  JSON.stringify({
    metadata: { name, labels: { app: 'web', 'pod-template-hash': '75d8f7d9c4', tier: 'frontend' } },
    spec: {
      schedulerName,
      serviceAccountName: 'default',
      containers: [
        {
          name: 'web',
          image: 'example.com/web:1.2.3',
          env: Array.from({ length: 8 }, (_, index) => ({ name: `SETTING_${index}`, value: `value number ${index}` })),
          ports: [{ containerPort: 8080, name: 'http' }],
          resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
          readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 5 },
        },
      ],
    },
  });

/** A Node that works, with room for 110 Pods. */
export const readyNode = (name: string, spec: object = {}): string => {
  const capacity = { cpu: '64', memory: '256Gi', pods: '110' };
  const nowText = new Date().toISOString().replace(/\.\d+/, '');
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' };
  const times = { lastHeartbeatTime: nowText, lastTransitionTime: nowText };
  return JSON.stringify({
    metadata: { name },
    spec,
    status: { capacity, allocatable: capacity, conditions: [{ ...ready, ...times }] },
  });
};
