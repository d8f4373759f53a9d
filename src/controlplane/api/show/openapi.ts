/**
 * OpenAPI v3 as far as kubectl needs it: that a kind takes `fieldValidation` (then kubectl leaves validation to the
 * server), and the schemas of CRDs for `kubectl explain`. Built-in kinds are described as objects with any fields.
 */
import type { Fields } from '../../store/object.ts';
import { type ApiResponse, reply } from '../http.ts';
import type { Registry } from '../kinds/registry.ts';
import type { ServedKind } from '../kinds/served-kind.ts';
import { groupVersionsOf } from './discovery.ts';

const rootOf = (group: string, version: string): string =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`;

/** Answers `/openapi/v3` and what is below it; undefined for other paths. */
export const describeOpenApi = (registry: Registry, path: string): ApiResponse | undefined => {
  const all = groupVersionsOf(registry);
  if (path === '/openapi/v3') {
    const paths = all.map(({ group, version }) => {
      const root = rootOf(group, version);
      return [root, { serverRelativeURL: `/openapi/v3/${root}` }];
    });
    return reply(200, { paths: Object.fromEntries(paths) });
  }
  const found = all.find(({ group, version }) => path === `/openapi/v3/${rootOf(group, version)}`);
  return found === undefined ? undefined : reply(200, renderDocument(found.kinds));
};

const renderDocument = (kinds: readonly ServedKind[]): Fields => ({
  openapi: '3.0.0',
  info: { title: 'Macfleet', version: 'v1' },
  paths: Object.fromEntries(kinds.map((kind) => [objectPath(kind), renderOperations(kind)])),
  components: { schemas: Object.fromEntries(kinds.map((kind) => [schemaName(kind), renderSchema(kind)])) },
});

const objectPath = ({ resource: { group, version, plural, scope } }: ServedKind): string =>
  `/${rootOf(group, version)}${scope === 'Namespaced' ? '/namespaces/{namespace}' : ''}/${plural}/{name}`;

const schemaName = ({ resource: { group, version, kind } }: ServedKind): string =>
  [...(group || 'core').split('.').reverse(), version, kind].join('.');

const gvkOf = ({ resource: { group, version, kind } }: ServedKind): Fields => ({ group, version, kind });

const renderOperations = (kind: ServedKind): Fields => {
  const parameters = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
    ...{ name, in: 'query', schema: { type: 'string', uniqueItems: true } },
  }));
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schemaName(kind)}` } } };
  const responses = { 200: { description: 'OK', content } };
  const common = { 'x-kubernetes-group-version-kind': gvkOf(kind), responses };
  return {
    get: { ...common, 'x-kubernetes-action': 'get' },
    put: { ...common, 'x-kubernetes-action': 'put', parameters },
    patch: { ...common, 'x-kubernetes-action': 'patch', parameters },
  };
};

const renderSchema = (kind: ServedKind): Fields => ({
  ...(kind.schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
  'x-kubernetes-group-version-kind': [gvkOf(kind)],
});
