/** Reading objects of our kinds: tolerant about what others may have written, strict about what we rely on. */
import * as z from 'zod';
import { FleetError } from '../../base/errors.ts';
import { isEqualJson, isRecord } from '../../base/json.ts';
import type { Condition, KubeObject } from '../../kube/types/meta.ts';
import { apiVersionOf } from '../../kube/types/resource.ts';
import { normaliseConditions } from './conditions.ts';
import type { Kind } from './kind.ts';

const textRecord = z.record(z.string(), z.string());

const metadata = z.looseObject({
  name: z.string().min(1),
  namespace: z.string().optional(),
  uid: z.string().optional(),
  resourceVersion: z.string().optional(),
  generation: z.int().optional(),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
  labels: textRecord.optional(),
  annotations: textRecord.optional(),
  finalizers: z.array(z.string()).optional(),
  ownerReferences: z.array(z.looseObject({ kind: z.string(), name: z.string(), uid: z.string() })).optional(),
});

/**
 * The reader of one kind: the object with defaults filled in, older conditions made valid and unknown fields kept, or
 * an `invalid` error that names every field at fault.
 */
export const createParser = <T extends KubeObject>(kind: Kind<T>): ((value: unknown) => T) => {
  const schema = z.looseObject({
    apiVersion: z.literal(apiVersionOf(kind.resource)).optional(),
    kind: z.literal(kind.resource.kind).optional(),
    metadata,
    spec: kind.fields.spec,
    status: kind.fields.status.optional(),
  });
  // Objects of a cache never change, and each is read at every pass over it.
  const known = new WeakMap<object, T>();
  const parseObject = (value: unknown): T => {
    const found = isRecord(value) ? known.get(value) : undefined;
    if (found !== undefined) return found;
    const result = schema.safeParse(withValidConditions(value));
    if (!result.success) throw notValid(kind.resource.kind, value, result.error);
    const object = result.data as unknown as T;
    if (isRecord(value)) known.set(value, object);
    return object;
  };
  return parseObject;
};

/** Whether the stored conditions are not what would be saved: the next status save must replace them. */
export const hasLegacyConditions = (stored: unknown): boolean => {
  const valid = validConditionsOf(stored);
  return valid !== undefined && !isEqualJson(valid.stored, valid.conditions);
};

const withValidConditions = (value: unknown): unknown => {
  const valid = validConditionsOf(value);
  if (valid === undefined) return value;
  return { ...valid.object, status: { ...valid.status, conditions: valid.conditions } };
};

const NEVER = '1970-01-01T00:00:00Z';

/** Undefined when there is no list of conditions: the schema then says what is there instead. */
const validConditionsOf = (object: unknown) => {
  if (!isRecord(object) || !isRecord(object['status'])) return undefined;
  const status = object['status'];
  const stored = status['conditions'];
  if (!Array.isArray(stored)) return undefined;
  const created = isRecord(object['metadata']) ? object['metadata']['creationTimestamp'] : undefined;
  const conditions: readonly Condition[] = normaliseConditions(stored, typeof created === 'string' ? created : NEVER);
  return { object, status, stored, conditions };
};

const notValid = (kind: string, value: unknown, error: z.ZodError): FleetError => {
  const problems = error.issues.map(({ path, message }) => `${path.join('.') || 'the object'}: ${message}`);
  return new FleetError('invalid', {
    code: 'BadObject',
    message: `${kind} ${nameOf(value)} cannot be read: ${problems.join('; ')}`,
    hint: `Correct these fields; "kubectl explain ${kind.toLowerCase()}" says what each of them holds.`,
    details: { kind, problems },
  });
};

const nameOf = (value: unknown): string => {
  const meta = isRecord(value) ? value['metadata'] : undefined;
  if (!isRecord(meta) || typeof meta['name'] !== 'string') return 'without a name';
  return typeof meta['namespace'] === 'string' ? `${meta['namespace']}/${meta['name']}` : meta['name'];
};
