/**
 * The environment of a Pod's container, from literals, Secrets, ConfigMaps, fields of the Pod and its resources. Pure:
 * what it refers to is named by `referencesOf` and handed in. Later names win, and `$(NAME)` is replaced as Kubernetes
 * does it.
 */
import { FleetError } from '../../base/errors.ts';
import { parseQuantity } from '../../base/quantity.ts';
import type { Container, EnvVar, Pod } from '../../kube/types/pod.ts';
import { expandVariables } from '../guest/expand-variables.ts';

export interface Reference {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
}

/** The values of a Secret (decoded) or ConfigMap; undefined when there is none. */
export type LookUp = (reference: Reference) => Readonly<Record<string, string>> | undefined;

export interface EnvContext {
  readonly pod: Pod;
  readonly container: Container;
  readonly hostIp?: string;
  readonly lookUp: LookUp;
}

/** Everything the container's environment is made of besides the Pod itself, each once. */
export const referencesOf = ({ env = [], envFrom = [] }: Container): readonly Reference[] => {
  const all = [
    ...envFrom.flatMap(({ secretRef, configMapRef }) => [
      ...named('Secret', secretRef),
      ...named('ConfigMap', configMapRef),
    ]),
    ...env.flatMap(({ valueFrom }) => [
      ...named('Secret', valueFrom?.secretKeyRef),
      ...named('ConfigMap', valueFrom?.configMapKeyRef),
    ]),
  ];
  return all.filter(
    ({ kind, name }, at) => all.findIndex((other) => other.kind === kind && other.name === name) === at,
  );
};

const named = (kind: Reference['kind'], source: { readonly name?: string } | undefined): readonly Reference[] =>
  source?.name === undefined ? [] : [{ kind, name: source.name }];

/** Throws `not-found` when something that is not optional is missing: it may still come. */
export const resolveEnv = (context: EnvContext): ReadonlyMap<string, string> => {
  const { env = [], envFrom = [] } = context.container;
  const resolved = new Map<string, string>();
  for (const { prefix = '', secretRef, configMapRef } of envFrom) {
    for (const [kind, source] of [
      ['Secret', secretRef],
      ['ConfigMap', configMapRef],
    ] as const) {
      if (source === undefined) continue;
      for (const [name, value] of valuesOf(context, kind, source)) resolved.set(`${prefix}${name}`, value);
    }
  }
  for (const variable of env) {
    const value = variableOf(context, variable, resolved);
    if (value !== undefined) resolved.set(variable.name, value);
  }
  return resolved;
};

interface Source {
  readonly name?: string;
  readonly optional?: boolean;
}

const valuesOf = ({ lookUp }: EnvContext, kind: Reference['kind'], source: Source): readonly [string, string][] => {
  const values = lookUp({ kind, name: source.name ?? '' });
  if (values === undefined && source.optional !== true) throw missing(`${kind} ${source.name}`);
  return Object.entries(values ?? {}).sort(([left], [right]) => (left < right ? -1 : 1));
};

const variableOf = (context: EnvContext, variable: EnvVar, before: ReadonlyMap<string, string>): string | undefined => {
  const { valueFrom } = variable;
  if (valueFrom === undefined) return expandVariables(variable.value ?? '', before);
  if (valueFrom.secretKeyRef !== undefined) return keyOf(context, 'Secret', valueFrom.secretKeyRef);
  if (valueFrom.configMapKeyRef !== undefined) return keyOf(context, 'ConfigMap', valueFrom.configMapKeyRef);
  if (valueFrom.fieldRef !== undefined) return fieldOf(context, variable.name, valueFrom.fieldRef.fieldPath);
  if (valueFrom.resourceFieldRef !== undefined) return amountOf(context, variable.name, valueFrom.resourceFieldRef);
  throw unknown(variable.name, 'it has no source that this Node knows');
};

const keyOf = (
  { lookUp }: EnvContext,
  kind: Reference['kind'],
  { name = '', key, optional }: Source & { readonly key: string },
): string | undefined => {
  const values = lookUp({ kind, name }) ?? {};
  const value = Object.hasOwn(values, key) ? values[key] : undefined;
  if (value === undefined && optional !== true) throw missing(`key ${key} of ${kind} ${name}`);
  return value;
};

const SUBSCRIPT = /^metadata\.(labels|annotations)\['([^']+)'\]$/;

const fieldOf = ({ pod, hostIp }: EnvContext, variable: string, path: string): string | undefined => {
  const { metadata, spec } = pod;
  const [, map, key] = SUBSCRIPT.exec(path) ?? [];
  if (map !== undefined && key !== undefined) return metadata[map === 'labels' ? 'labels' : 'annotations']?.[key] ?? '';
  switch (path) {
    case 'metadata.name':
      return metadata.name;
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid ?? '';
    case 'spec.nodeName':
      return spec.nodeName ?? '';
    case 'spec.serviceAccountName':
      return spec.serviceAccountName ?? 'default';
    case 'status.hostIP':
    case 'status.hostIPs':
      return hostIp ?? '';
    default:
      throw unknown(variable, `a VM cannot be told ${path} before it starts`);
  }
};

const amountOf = (
  { container }: EnvContext,
  variable: string,
  { resource, divisor = '1' }: { readonly resource: string; readonly divisor?: string },
): string => {
  const [list, name = ''] = resource.split('.');
  const amounts = list === 'limits' ? container.resources?.limits : container.resources?.requests;
  const amount = parseQuantity(amounts?.[name] ?? '');
  const by = parseQuantity(divisor === '0' ? '1' : divisor);
  if (amount === undefined || by === undefined) throw unknown(variable, `the container says no ${resource}`);
  return String(Math.ceil(amount / by - 1e-9));
};

const missing = (what: string): FleetError =>
  new FleetError('not-found', {
    code: 'EnvSourceMissing',
    message: `resolve env: there is no ${what}`,
    hint: 'Create it, or mark the reference as optional; the Pod starts once it is there.',
  });

const unknown = (variable: string, why: string): FleetError =>
  new FleetError('invalid', {
    code: 'EnvSourceUnknown',
    message: `resolve env: ${variable} has no value: ${why}`,
    hint: 'Use a literal, a Secret, a ConfigMap, or a field that is known before the Pod starts.',
  });
