/** For tests: the reader of each kind, by the name of the kind. */
import type { KubeObject } from '../../kube/types/meta.ts';
import { parseCluster } from '../cluster.ts';
import { parseControlPlane } from '../control-plane.ts';
import { parseMacHost } from '../mac-host.ts';
import { parseMachine } from '../machine.ts';
import { parseMachineTemplate } from '../machine-template.ts';
import { parseRunnerPool } from '../runner-pool.ts';

export const PARSERS = {
  ScalewayAppleSiliconMachine: parseMachine,
  ScalewayAppleSiliconMachineTemplate: parseMachineTemplate,
  ScalewayAppleSiliconCluster: parseCluster,
  ScalewayAppleSiliconControlPlane: parseControlPlane,
  MacHost: parseMacHost,
  RunnerPool: parseRunnerPool,
} as const satisfies Readonly<Record<string, (value: unknown) => KubeObject>>;

export interface Sample {
  /** What it is, as the end of a sentence. */
  readonly story: string;
  readonly kind: keyof typeof PARSERS;
  readonly object: Readonly<Record<string, unknown>>;
}
