/** A call that writes, as the gate wants to see it. */
import type { Fields, StoredObject } from '../../store/object.ts';
import type { Call } from '../call.ts';
import type { Operation, Write } from '../gate.ts';
import { isDryRun } from '../options.ts';

interface WriteParts {
  readonly operation: Operation;
  readonly name: string;
  readonly object: Fields | undefined;
  readonly old: StoredObject | undefined;
}

export const writeOf = (call: Call, parts: WriteParts): Write => ({
  ...parts,
  user: call.user,
  resource: call.kind.resource,
  subresource: call.subresource ?? '',
  namespace: call.namespace ?? '',
  isDryRun: isDryRun(call),
  warn: call.warn,
});
