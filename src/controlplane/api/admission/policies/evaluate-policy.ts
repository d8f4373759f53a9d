/** One policy asked about one write: what it objects to. */
import { messageOf } from '../../../../base/errors.ts';
import { serviceAccountUser } from '../../../auth/user.ts';
import { type Fields, fieldsOf } from '../../../store/object.ts';
import { keyFor } from '../../../store/store.ts';
import { createMeter, type Evaluate, type Meter, messageOfCel } from '../../cel/metered.ts';
import { toCelValue } from '../../cel/values.ts';
import type { Write } from '../../gate.ts';
import type { Reason } from '../../refusal.ts';
import type { AdmissionDeps } from '../plugin.ts';
import { type AskAccess, createAsker } from './authorizer-functions.ts';
import type { CompiledPolicy, CompiledValidation } from './compile-policy.ts';

export interface Objection {
  readonly message: string;
  readonly reason: Reason;
}

type Scope = Readonly<Record<string, unknown>>;

interface Evaluation {
  readonly scope: Scope;
  readonly meter: Meter;
}

const MESSAGE_LENGTH_MAX = 5_120;

/** Nothing when the policy has no objection, or its conditions say that it is not about this write. */
export const evaluatePolicy = (policy: CompiledPolicy, write: Write, deps: AdmissionDeps): readonly Objection[] => {
  const meter = createMeter();
  const base = scopeOf(write, deps);
  const scope = { ...base, variables: lazyVariables(policy, base, meter) };
  const evaluation = { scope, meter };
  const onError = (why: string): readonly Objection[] =>
    policy.failurePolicy === 'Ignore' ? [] : [{ message: why, reason: 'Invalid' }];
  try {
    if (!isAbout(policy, evaluation)) return [];
  } catch (thrown) {
    return onError(messageOf(thrown));
  }
  return policy.validations.flatMap((validation) => {
    try {
      if (validation.evaluate(scope, meter) === true) return [];
      return [{ message: messageFor(validation, evaluation), reason: validation.reason }];
    } catch (thrown) {
      return onError(renderFailure(validation, thrown));
    }
  });
};

const renderFailure = ({ expression }: CompiledValidation, thrown: unknown): string =>
  `expression '${expression.trim()}' resulted in error: ${messageOfCel(thrown)}`;

/** A condition that is false decides, even if another cannot be evaluated. */
const isAbout = ({ conditions }: CompiledPolicy, { scope, meter }: Evaluation): boolean => {
  const errors: string[] = [];
  for (const { name, evaluate } of conditions) {
    try {
      if (evaluate(scope, meter) !== true) return false;
    } catch (thrown) {
      errors.push(`match condition "${name}": ${messageOfCel(thrown)}`);
    }
  }
  if (errors.length > 0) throw new Error(errors.join(', '));
  return true;
};

/** Each is evaluated when first used, and once. */
const lazyVariables = ({ variables }: CompiledPolicy, base: Scope, meter: Meter): object => {
  const values: Record<string, unknown> = {};
  for (const { name, evaluate } of variables) {
    let value: { readonly is: unknown } | undefined;
    const get = (): unknown => {
      value ??= { is: evaluate({ ...base, variables: values }, meter) };
      return value.is;
    };
    Object.defineProperty(values, name, { enumerable: true, get });
  }
  return values;
};

const messageFor = ({ expression, message, evaluateMessage }: CompiledValidation, evaluation: Evaluation): string => {
  const said = evaluateMessage === undefined ? '' : saidBy(evaluateMessage, evaluation);
  return said || message.trim() || `failed expression: ${expression.trim()}`;
};

/** A message that is no text, too long or of several lines is not used; nor one that fails. */
const saidBy = (evaluate: Evaluate, { scope, meter }: Evaluation): string => {
  try {
    const said = evaluate(scope, meter);
    const text = typeof said === 'string' ? said.trim() : '';
    return text.length > MESSAGE_LENGTH_MAX || text.includes('\n') ? '' : text;
  } catch (thrown) {
    if (meter.isSpent) throw thrown;
    return '';
  }
};

const scopeOf = (write: Write, deps: AdmissionDeps): Scope => {
  const { namespace, name, subresource, resource } = write;
  const about = { group: resource.group, resource: resource.plural, subresource, namespace, name };
  return {
    object: toCelValue(write.object ?? null),
    oldObject: toCelValue(write.old ?? null),
    request: toCelValue(renderRequest(write)),
    params: null,
    namespaceObject: toCelValue(namespaceOf(write, deps)),
    authorizer: createAsker(askAccess(write, deps), about),
  };
};

const askAccess =
  ({ user: sender }: Write, { authorize }: AdmissionDeps): AskAccess =>
  ({ account, path, group, resource, subresource, namespace, name }, verb) => {
    const user = account === undefined ? sender : serviceAccountUser(account);
    if (path !== undefined) return authorize({ on: 'path', user, verb, path });
    const where = { group, version: '*', resource, subresource, namespace, name };
    return authorize({ on: 'resource', user, verb, ...where, fields: [] });
  };

const renderRequest = ({ user, operation, resource, subresource, namespace, name, isDryRun }: Write): Fields => {
  const { group, version, kind, plural } = resource;
  const aboutKind = { group, version, kind };
  const aboutResource = { group, version, resource: plural };
  return {
    ...{ kind: aboutKind, resource: aboutResource, subResource: subresource },
    ...{ requestKind: aboutKind, requestResource: aboutResource, requestSubResource: subresource },
    ...{ name, namespace, operation, dryRun: isDryRun },
    userInfo: {
      ...{ username: user.name, groups: user.groups, uid: user.uid ?? '', extra: user.extra ?? {} },
    },
    options: { kind: `${operation.charAt(0)}${operation.slice(1).toLowerCase()}Options`, apiVersion: 'meta.k8s.io/v1' },
  };
};

/** Null for what is in no Namespace. */
const namespaceOf = ({ resource, namespace }: Write, { store }: AdmissionDeps): Fields | null => {
  if (resource.scope === 'Cluster') return null;
  const found = store.get('/namespaces', keyFor(undefined, namespace))?.object;
  if (found === undefined) return null;
  const { managedFields: _fields, ...metadata } = fieldsOf(found['metadata']);
  return { metadata, spec: fieldsOf(found['spec']), status: fieldsOf(found['status']) };
};
