/** Every kind of ours: what gets a CRD. */
import type { KubeObject } from '../kube/types/meta.ts';
import { clusterKind } from './cluster.ts';
import { controlPlaneKind } from './control-plane.ts';
import { macHostKind } from './mac-host.ts';
import { machineKind } from './machine.ts';
import { machineTemplateKind } from './machine-template.ts';
import { runnerPoolKind } from './runner-pool.ts';
import type { Kind } from './schema/kind.ts';

export const ALL_KINDS: readonly Kind<KubeObject>[] = [
  machineKind,
  machineTemplateKind,
  clusterKind,
  controlPlaneKind,
  macHostKind,
  runnerPoolKind,
];
