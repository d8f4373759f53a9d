/** The chart's values: the one place from which values.yaml, values.schema.json and the README's table are made. */
import * as z from 'zod';
import { DEFAULT_RESOURCES } from '../../../src/install/workload.ts';
import { buildersFleet, externalSecret, macosFleet, podPlacement, runnersFleet } from './fleet-values.ts';
import { anyList, anyObject, choice, count, flag, group, refused, text, texts } from './value-fields.ts';

const controller = (component: keyof typeof DEFAULT_RESOURCES) => ({
  resources: anyObject('Requests and limits.', DEFAULT_RESOURCES[component] as Readonly<Record<string, unknown>>),
  leaseProfile: choice('fast takes over after 2 s instead of 15 s.', ['normal', 'fast']),
  extraArgs: texts('Further flags; see --help of the program.'),
  extraEnv: anyList('Further environment variables.'),
  extraVolumes: anyList('Further volumes.'),
  extraVolumeMounts: anyList('And where they are mounted.'),
  podAnnotations: anyObject('Further annotations of its Pods.'),
  priorityClassName: text('PriorityClass of its Pods.'),
  ...podPlacement,
  extraEgress: anyList('Further rules of its network policy.'),
});

const manager = group('The provider: it adopts, prepares, heals and gives back Macs.', {
  replicas: count('Pods; one leads.', 2, 1),
  maxOrderedHosts: count('Spend guard: Macs rented at a time for fleets with acquire: order. 0: none.', 0),
  maxOrdersPerDay: count('Spend guard: Macs ordered within 24 hours. 0: none.', 0),
  fleetSpreadDeployment: text(
    'Deployment in the namespace of the release whose Pods are spread anew when Macs come and go.',
  ),
  ...controller('manager'),
});

const runnersController = group('The controller of runner pools; there with runnersFleet.', {
  replicaCount: count('Pods; one leads.', 2, 1),
  image: group('Its image, as the original has it; without it the top-level image.', {
    repository: text('Repository.'),
    tag: text('Tag.'),
    pullPolicy: text('When it is pulled.'),
  }),
  dispatchUrl: text('Where runners ask for jobs; without it <server.appUrl>/api/internal/runners/dispatch.'),
  sessionsUrl: text(
    'Where ends of runners are told, and runners are drained; without it, of server.appUrl; "none" for neither.',
  ),
  scalingSignalsUrl: text('Where the load of pools is asked for; without it, of server.appUrl; "none": replicas stay.'),
  clusterDNS: text('DNS server of the cluster as guests reach it.'),
  features: refused(),
  ...controller('runners-controller'),
});

const metrics = group('Metrics are annotated on the Pods; more where somebody looks at it.', {
  podMonitor: group('PodMonitors of the Prometheus operator.', {
    enabled: flag('Whether there are any.'),
    interval: text('How often they look.', '30s'),
    labels: anyObject('Labels by which Prometheus finds them.'),
  }),
  alerts: group('A PrometheusRule with the alerts of deploy/alerts.', {
    enabled: flag('Whether there is one.'),
    labels: anyObject('Labels by which Prometheus finds it.'),
  }),
  dashboard: group('A ConfigMap with a dashboard for Grafana.', {
    enabled: flag('Whether there is one.'),
    labels: anyObject('Labels by which the sidecar of Grafana finds it.', { grafana_dashboard: '1' }),
  }),
});

export const valuesSchema = z.strictObject({
  nameOverride: text('In place of the name of the chart, in names.'),
  fullnameOverride: text(
    'In place of <release>-macfleet, how names begin. tuist-tuist for a release tuist of the original.',
  ),
  image: group('Our image. None is published: build it (npm run build:image), push it, and say where.', {
    repository: text('Repository of the image.'),
    tag: text('Its tag; without it the version of the chart.'),
    digest: text('sha256:… in place of a tag.'),
    pullPolicy: text('When it is pulled.', 'IfNotPresent'),
  }),
  imagePullSecrets: anyList('Secrets to pull it with.'),
  capi: group('Cluster API.', {
    enabled: flag('Whether there is a Cluster, and so fleets. Cluster API core itself is installed before.', true),
    remoteKubeconfig: group(
      '<cluster>-kubeconfig, by which core sees the Nodes. The manager keeps it, unless a vault does.',
      {
        externalSecrets: externalSecret('capi-workload-kubeconfig', {
          field: text('The field of the item.', 'kubeconfig'),
        }),
      },
    ),
  }),
  crds: group('Our kinds. Installed by Helm, brought up to date by a hook, never deleted.', {
    upgrade: flag(
      'Whether a Job before install and upgrade brings them up to date. Without it: macfleet install --crds --apply --field-manager=helm --force-conflicts.',
      true,
    ),
  }),
  manager,
  macosFleet,
  runnersFleet,
  buildersFleet,
  runnersController,
  server: group('The server that has the jobs.', { appUrl: text('Its public address.') }),
  takeover: group('Beside the Go original.', {
    enabled: flag(
      'Whether the manager may remove what the original made for its Macs, once each has an identity of its own.',
    ),
  }),
  simulation: group('Macs that exist only inside the manager, to try it. No Scaleway account is used.', {
    macs: count('How many. 0: real ones.', 0),
    speedUp: count('How much faster than life they are.', 100, 1),
  }),
  networkPolicy: group(
    'Network policies of our own Pods: nothing in but metrics and probes; out DNS, HTTPS, the API server and SSH.',
    {
      enabled: flag('Whether there are any.', true),
    },
  ),
  metrics,
  kuraFleet: refused(),
  xcresultProcessor: refused(),
  global: z.unknown().optional(),
});
