/** For tests: updates of a machine template, and whether its policy refuses them. */
import type { PolicyRequest } from './cel-rules.ts';

export interface TemplateUpdate extends PolicyRequest {
  /** Who or what changes it, as the end of a sentence. */
  readonly story: string;
  readonly refused: boolean;
}

const template = (type: string, metadata: object = {}) => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
  kind: 'ScalewayAppleSiliconMachineTemplate',
  metadata: { name: 'macs', namespace: 'tuist', ...metadata },
  spec: { template: { spec: { type } } },
});

const asked = { annotations: { 'topology.cluster.x-k8s.io/dry-run': '' } };

const update = (story: string, object: object, more: Pick<TemplateUpdate, 'refused'> & Partial<PolicyRequest>) => ({
  story,
  operation: 'UPDATE' as const,
  oldObject: template('M2-L'),
  object,
  ...more,
});

export const TEMPLATE_UPDATES: readonly TemplateUpdate[] = [
  update('an edit of its machine spec', template('M4-S'), { refused: true }),
  update('an edit of its labels', template('M2-L', { labels: { a: 'b' } }), { refused: false }),
  update('a dry run of ClusterClass', template('M4-S', asked), { refused: false, dryRun: true }),
  update('a dry run of somebody else', template('M4-S', { annotations: { a: 'b' } }), { refused: true, dryRun: true }),
  update('a dry run without annotations', template('M4-S'), { refused: true, dryRun: true }),
  update('a real write that bears the annotation', template('M4-S', asked), { refused: true, dryRun: false }),
  update('a write that says nothing of a dry run', template('M4-S', asked), { refused: true }),
];
