/** Who owns what after a write: which fields the path reaches, and in whose name it was. */
import { toTimestamp } from '../../../base/clock.ts';
import { apiVersionOf } from '../../../kube/types/resource.ts';
import type { ApiDeps, Call } from '../call.ts';
import { managerOf } from '../options.ts';
import type { FieldSet } from '../patch/field-set.ts';
import type { Writer } from '../patch/managed-fields.ts';

/** Fields that a write through this path leaves as they are, so that nobody comes to own them by it. */
export const outOfReachOf = ({ kind, subresource }: Call): FieldSet => {
  if (subresource === 'status' || subresource === 'approval') {
    return kind.origin === 'custom' ? { 'f:spec': {}, 'f:metadata': {} } : { 'f:spec': {} };
  }
  return kind.subresources.includes('status') ? { 'f:status': {} } : {};
};

export const writerOf = ({ clock }: ApiDeps, call: Call): Writer => ({
  manager: managerOf(call),
  apiVersion: apiVersionOf(call.kind.resource),
  time: toTimestamp(clock.now()),
  ...(call.subresource !== undefined && { subresource: call.subresource }),
});
