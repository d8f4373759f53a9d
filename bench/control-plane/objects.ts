/** What the control planes are filled with. */

export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
export const PODS = '/api/v1/namespaces/default/pods';

const FILLING = 'abcdefghij'.repeat(280);

/** About 3 KB. */
export const configMap = (name: string): string =>
  JSON.stringify({ metadata: { name, labels: { app: 'bench' } }, data: { text: FILLING } });

/** As a Deployment would make it; no scheduler touches it. */
export const pod = (name: string): string =>
  JSON.stringify({
    metadata: { name, labels: { app: 'web', 'pod-template-hash': '75d8f7d9c4', tier: 'frontend' } },
    spec: {
      schedulerName: 'nobody',
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
