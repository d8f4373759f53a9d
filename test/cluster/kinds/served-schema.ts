/** The schemas of our kinds as an API server publishes them: what `kubectl explain`, editors and other clients read. */
import { isRecord } from '../../../src/base/json.ts';
import type { KubeObject } from '../../../src/kube/types/meta.ts';
import type { Resource } from '../../../src/kube/types/resource.ts';
import { eventually, type Scene } from '../kube/scene.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The published schema of the kind. It is published some time after the kind is served. */
export const readServedSchema = (
  { client, signal }: Pick<Scene, 'client' | 'signal'>,
  resource: Resource<KubeObject>,
): Promise<Schema> =>
  eventually(`the server publishes the schema of ${resource.kind}`, async () => {
    const path = `/openapi/v3/apis/${resource.group}/${resource.version}`;
    const document = await client.getRaw(path, { signal }).catch(() => undefined);
    const components = isRecord(document) && isRecord(document['components']) ? document['components'] : {};
    const schemas = isRecord(components['schemas']) ? Object.values(components['schemas']) : [];
    return schemas.filter(isRecord).find((schema) => isOf(schema, resource));
  });

const isOf = (schema: Schema, { group, version, kind }: Resource<KubeObject>): boolean => {
  const names = schema['x-kubernetes-group-version-kind'];
  return (
    Array.isArray(names) && names.some((name) => name.group === group && name.version === version && name.kind === kind)
  );
};

export interface Field {
  readonly path: string;
  readonly name: string;
  readonly description: string | undefined;
}

/** What every object has; the server describes these in its own words. */
const COMMON: readonly string[] = ['.apiVersion', '.kind', '.metadata'];

/** Every field of ours in the schema, however deep. */
export const fieldsOf = (schema: Schema, path = ''): readonly Field[] => {
  const { properties, items, additionalProperties } = schema;
  const own = Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, field]) => {
    const here = `${path}.${name}`;
    if (!isRecord(field) || COMMON.includes(here)) return [];
    const { description } = field;
    return [
      { path: here, name, description: typeof description === 'string' ? description : undefined },
      ...fieldsOf(field, here),
    ];
  });
  const inner = [items, additionalProperties].filter(isRecord).flatMap((item) => fieldsOf(item, `${path}[]`));
  return [...own, ...inner];
};
