/**
 * A ValidatingAdmissionPolicy made ready to be asked. What does not compile, and what is not supported here, is a problem
 * of the policy and refuses it when it is written.
 */
import { messageOf } from '../../../../base/errors.ts';
import { isRecord } from '../../../../base/json.ts';
import { type Fields, fieldsOf } from '../../../store/object.ts';
import { createCelCompiler, type Evaluate } from '../../cel/metered.ts';
import { invalidValue, type Problem, type Reason } from '../../refusal.ts';
import { registerAuthorizer } from './authorizer-functions.ts';
import { parseMatch, type ResourceMatch } from './resource-match.ts';

interface Named {
  readonly name: string;
  readonly evaluate: Evaluate;
}

export interface CompiledValidation {
  readonly expression: string;
  readonly evaluate: Evaluate;
  readonly message: string;
  readonly evaluateMessage: Evaluate | undefined;
  readonly reason: Reason;
}

export interface CompiledPolicy {
  readonly name: string;
  readonly match: ResourceMatch;
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly conditions: readonly Named[];
  readonly variables: readonly Named[];
  readonly validations: readonly CompiledValidation[];
}

export type PolicyReading =
  | { readonly is: 'good'; readonly policy: CompiledPolicy }
  | { readonly is: 'bad'; readonly problems: readonly Problem[] };

const REASONS: readonly Reason[] = ['Unauthorized', 'Forbidden', 'Invalid', 'RequestEntityTooLarge'];

export const compilePolicy = (object: Fields): PolicyReading => {
  const problems: Problem[] = [];
  const spec = fieldsOf(object['spec']);
  const compiler = createCelCompiler(registerAuthorizer);
  const refuse = (field: string, value: unknown, why: string): void => {
    problems.push(invalidValue(field, value, why));
  };
  const compile = (field: string, expression: unknown, wanted?: 'bool' | 'string'): Evaluate => {
    try {
      return compiler.compile(String(expression ?? ''), wanted);
    } catch (thrown) {
      refuse(field, expression ?? '', `compilation failed: ${messageOf(thrown)}`);
      return () => undefined;
    }
  };
  const named = (list: string): readonly Named[] =>
    recordsIn(spec[list]).map(({ name, expression }, at) => ({
      ...{ name: String(name), evaluate: compile(`spec.${list}[${at}].expression`, expression) },
    }));
  refuseUnsupported(spec, refuse);
  const policy: CompiledPolicy = {
    name: String(fieldsOf(object['metadata'])['name']),
    match: parseMatch(spec['matchConstraints']),
    failurePolicy: spec['failurePolicy'] === 'Ignore' ? 'Ignore' : 'Fail',
    conditions: named('matchConditions'),
    variables: named('variables'),
    validations: recordsIn(spec['validations']).map((validation, at) => {
      const { expression, message, messageExpression, reason } = validation;
      const field = `spec.validations[${at}]`;
      return {
        expression: String(expression ?? ''),
        evaluate: compile(`${field}.expression`, expression, 'bool'),
        message: String(message ?? ''),
        evaluateMessage:
          messageExpression === undefined
            ? undefined
            : compile(`${field}.messageExpression`, messageExpression, 'string'),
        reason: REASONS.find((known) => known === reason) ?? 'Invalid',
      };
    }),
  };
  if (policy.validations.length === 0) {
    const message = 'Required value: validations or auditAnnotations must contain at least one item';
    problems.push({ field: 'spec.validations', reason: 'FieldValueRequired', message });
  }
  return problems.length === 0 ? { is: 'good', policy } : { is: 'bad', problems };
};

const refuseUnsupported = (spec: Fields, refuse: (field: string, value: unknown, why: string) => void): void => {
  const not = 'is not supported by the embedded control plane';
  if (isRecord(spec['paramKind']))
    refuse('spec.paramKind', spec['paramKind'], `${not}: write the values into the policy`);
  const { auditAnnotations } = spec;
  if (Array.isArray(auditAnnotations) && auditAnnotations.length > 0) {
    refuse('spec.auditAnnotations', auditAnnotations, `${not}: it has no audit log`);
  }
};

const recordsIn = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isRecord) : []);
