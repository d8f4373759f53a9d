/**
 * Which cases of the upstream end-to-end suite are run: all of these groups, but those that are excluded here, each with the
 * reason. A reason that begins with "open" is a defect of ours; all others say what the embedded control plane does not have
 * on purpose.
 */
import type { Exclusion } from './select-cases.ts';

export const SUITES = ['sig-api-machinery', 'sig-apps', 'sig-scheduling'] as const;

const NO_CALLS = 'needs webhooks or an aggregated API server: this control plane calls nobody';
const NO_NETWORK = 'needs Services, or a network between Pods';
const NO_STORAGE = 'needs volumes that outlive a Pod';
const NO_PREEMPTION = 'preemption is not here';
const NO_SCORES = 'the scheduler does not rank Nodes by preferences';
const JSON_ALONE = 'answers are JSON alone, not protobuf or CBOR';
const NO_HOST_PORTS = 'the scheduler does not support host ports';
const NO_INDEXES = 'Jobs have no indexes, success policies, failure policies or replacement policies here';

const unsupported = (kind: string): string => `needs the kind ${kind}, which is not here`;

export const EXCLUSIONS: readonly Exclusion[] = [
  { cases: /\[Feature:OffByDefault\]|\[Feature:StorageVersionAPI\]/, why: 'needs a feature that is off by default' },
  { cases: /\[Disruptive\]/, why: 'stops parts of a cluster by logging in to its machines' },
  { cases: /Upgrade \[Feature:/, why: 'upgrades a cluster' },
  { cases: /^\[sig-api-machinery\] (AdmissionWebhook|CustomResourceConversionWebhook|Aggregator)/, why: NO_CALLS },
  { cases: /CustomResourceFieldSelectors|OpenAPI V3 for Aggregated APIServer/, why: NO_CALLS },
  { cases: /\[Feature:CBOR\]|with accept "application\/vnd\.kubernetes\.protobuf"$/, why: JSON_ALONE },
  {
    cases: /metadata client's List method|metadatainformer/,
    why: 'compares with what protobuf leaves out of an answer',
  },
  { cases: /API priority and fairness/, why: unsupported('FlowSchema') },
  { cases: /MutatingAdmissionPolicy/, why: unsupported('MutatingAdmissionPolicy') },
  { cases: /ResourceQuota|exceeded quota/, why: unsupported('ResourceQuota') },
  { cases: /LimitRange/, why: unsupported('LimitRange') },
  {
    cases: /ReplicationController|replication controller|by rc\b|the rc\b|valid owner and owner/,
    why: unsupported('ReplicationController'),
  },
  { cases: /[cC]ron[jJ]ob/, why: unsupported('CronJob') },
  { cases: /StatefulSet/, why: unsupported('StatefulSet') },
  { cases: /Daemon set|ControllerRevision/, why: unsupported('DaemonSet') },
  { cases: /chunks of (table )?results|continue listing from the last key/, why: unsupported('PodTemplate') },
  { cases: /all services are removed|load-balancer|pods of a service|serve a basic image/, why: NO_NETWORK },
  { cases: /create an applied object if it does not already exist/, why: NO_NETWORK },
  { cases: /PVC has node-affinity/, why: NO_STORAGE },
  { cases: /SchedulerPreemption .*([pP]reempt|PodTopologySpread)/, why: NO_PREEMPTION },
  { cases: /PodTopologySpread|across zones/, why: 'topology spread is not here' },
  { cases: /SchedulerPriorities/, why: NO_SCORES },
  { cases: /same hostPort/, why: NO_HOST_PORTS },
  {
    cases: /evictions: (maxUnavailable deny evictions, integer|too few pods, replicaSet, percentage)/,
    why: NO_HOST_PORTS,
  },
  { cases: /CustomResourcePublishOpenAPI/, why: 'reads OpenAPI v2; there is only v3 here' },
  { cases: /storage version hash/, why: 'no storage version is named: there is nothing to migrate' },
  { cases: /type check/, why: 'the status of a policy says nothing about the types of its expressions' },
  {
    cases: /exceeds the (estimated|runtime) cost limit/,
    why: 'expressions are limited by time, not by estimated cost',
  },
  { cases: /health handlers/, why: 'asks for the checks of kube-apiserver by name' },
  { cases: /Job .*([iI]ndex|successPolicy)/, why: NO_INDEXES },
  { cases: /pod failure policy|PodFailurePolicy|pod replacement policy/, why: NO_INDEXES },
  { cases: /pod overhead/, why: unsupported('RuntimeClass') },
];
