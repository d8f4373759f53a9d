/** What simulated people have their Macs do where these run VMs: a VM that never ends, and jobs that do. */
import { JOBS } from '../../controlplane/core/workloads/job.ts';
import { MACOS_TAINT } from '../../kinds/labels.ts';
import { DEPLOYMENTS } from '../../kube/types/apps.ts';
import type { FleetWorld } from '../fleet-world.ts';

type Place = Pick<FleetWorld, 'operator' | 'namespace'>;

/** In the few words that guests of steps know. */
const renderTemplate = (script: string, restartPolicy: string, labels: Readonly<Record<string, string>> = {}) => ({
  metadata: { labels },
  spec: {
    ...{ nodeSelector: { 'kubernetes.io/os': 'darwin' }, tolerations: [{ key: MACOS_TAINT.key, operator: 'Exists' }] },
    ...{ terminationGracePeriodSeconds: 10, restartPolicy },
    containers: [{ name: 'vm', image: 'ghcr.io/acme/macos:1', env: [{ name: 'SIM_GUEST_SCRIPT', value: script }] }],
  },
});

export const submitJob = ({ operator, namespace }: Place, name: string, script: string): void => {
  const spec = { completions: 2, parallelism: 2, template: renderTemplate(script, 'Never') };
  operator.apply({ resource: JOBS, object: { metadata: { name, namespace }, ...{ spec } } });
};

export const submitWork = (place: Place): void => {
  const { operator, namespace } = place;
  const labels = { app: 'web' };
  const template = renderTemplate('sleep infinity', 'Always', labels);
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  operator.apply({ resource: DEPLOYMENTS, object: { metadata: { name: 'web', namespace }, ...{ spec } } });
  submitJob(place, 'build', 'sleep 600; exit 0');
};
