/**
 * OpenAPI v3 as far as kubectl and other clients ask for it: the fields of every kind (`kubectl explain`), and which
 * parameters a kind takes (then kubectl leaves validation to the server). Types of the built-in kinds stand once per
 * document and are referred to.
 */
import { createHash } from 'node:crypto';
import type { Fields } from '../../store/object.ts';
import { type ApiRequest, type ApiResponse, reply, replyJson } from '../http.ts';
import type { Registry } from '../kinds/registry.ts';
import type { ServedKind } from '../kinds/served-kind.ts';
import DESCRIPTIONS from '../kinds/types/descriptions.json' with { type: 'json' };
import type { UnsupportedKind } from '../kinds/unsupported-kinds.ts';
import type { Schema } from '../schema/schema.ts';
import { type GroupVersion, groupVersionsOf } from './discovery.ts';

const WORDS: ReadonlyMap<string, string> = new Map(Object.entries(DESCRIPTIONS));

const rootOf = (group: string, version: string): string =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`;

/** Answers `/openapi/v3` and what is below it; undefined for other paths. */
export type DescribeOpenApi = (request: Pick<ApiRequest, 'path' | 'headers'>) => ApiResponse | undefined;

interface Document {
  readonly address: string;
  readonly json: string;
  readonly hash: string;
}

/** Documents are made when they are first asked for, and again when a kind came or went. */
export const createOpenApi = (registry: Registry): DescribeOpenApi => {
  const made = new WeakMap<readonly ServedKind[], readonly Document[]>();
  const documents = (): readonly Document[] => {
    const kinds = registry.all();
    const found = made.get(kinds) ?? groupVersionsOf(registry).map(makeDocument);
    made.set(kinds, found);
    return found;
  };
  return ({ path, headers }) => {
    const [bare = '', query = ''] = path.split(/\?(.*)/s);
    if (!bare.startsWith('/openapi/v3')) return undefined;
    if (bare.replace(/\/$/, '') === '/openapi/v3') return reply(200, { paths: listAddresses(documents()) });
    const found = documents().find(({ address }) => address === bare);
    return found === undefined ? undefined : answerDocument(found, new URLSearchParams(query).get('hash'), headers);
  };
};

const makeDocument = (of: GroupVersion): Document => {
  const json = JSON.stringify(renderDocument(of));
  const hash = createHash('sha512').update(json).digest('hex').toUpperCase();
  return { address: `/openapi/v3/${rootOf(of.group, of.version)}`, json, hash };
};

const listAddresses = (documents: readonly Document[]): Fields =>
  Object.fromEntries(
    documents.map(({ address, hash }) => [
      address.slice('/openapi/v3/'.length),
      { serverRelativeURL: `${address}?hash=${hash}` },
    ]),
  );

/** Under its hash a document never changes, so a client may keep it; a hash that is outdated leads to the current one. */
const answerDocument = (
  { address, json, hash }: Document,
  asked: string | null,
  headers: ApiRequest['headers'],
): ApiResponse => {
  if (asked !== null && asked !== hash) {
    return { status: 301, headers: { location: `${address}?hash=${hash}` }, body: '' };
  }
  const etag = `"${hash}"`;
  const kept = asked === null ? {} : { 'cache-control': 'public, immutable' };
  if (headers['if-none-match'] === etag) return { status: 304, headers: { etag, ...kept }, body: '' };
  const response = replyJson(200, json);
  return { ...response, headers: { ...response.headers, etag, ...kept } };
};

const renderDocument = ({ kinds, unsupported }: GroupVersion): Fields => {
  const schemas: Record<string, Fields> = {};
  const render = createRenderer(schemas);
  for (const kind of kinds) {
    schemas[schemaName(kind)] = {
      ...render(kind.schema, 'written-out'),
      'x-kubernetes-group-version-kind': [gvkOf(kind)],
    };
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Macfleet', version: 'v1.36.4' },
    paths: Object.fromEntries([...kinds.flatMap(renderPaths), ...unsupported.map(renderUnsupported)]),
    components: Object.keys(schemas).length === 0 ? {} : { schemas },
  };
};

const collectionPath = ({ resource: { group, version, plural, scope } }: ServedKind): string =>
  `/${rootOf(group, version)}${scope === 'Namespaced' ? '/namespaces/{namespace}' : ''}/${plural}`;

const PACKAGE = 'io.k8s.api';

const typeSchemaName = (typeName: string): string =>
  typeName.includes('.') ? `${PACKAGE}.${typeName.replace('.', '.v1.')}` : `${PACKAGE}.core.v1.${typeName}`;

const schemaName = ({ origin, schema, resource: { group, version, kind } }: ServedKind): string =>
  origin === 'builtin' && schema.typeName !== undefined
    ? typeSchemaName(schema.typeName)
    : [...group.split('.').reverse(), version, kind].join('.');

const gvkOf = ({ resource: { group, version, kind } }: ServedKind): Fields => ({ group, version, kind });

const WRITE_PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
  ...{ name, in: 'query', schema: { type: 'string', uniqueItems: true } },
}));

const renderPaths = (kind: ServedKind): readonly (readonly [string, Fields])[] => {
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schemaName(kind)}` } } };
  const responses = { 200: { description: 'OK', content } };
  const common = { 'x-kubernetes-group-version-kind': gvkOf(kind), responses };
  const write = (action: string): Fields => ({
    ...{ ...common, 'x-kubernetes-action': action, parameters: WRITE_PARAMETERS, requestBody: { content } },
  });
  const collection = collectionPath(kind);
  return [
    [collection, { get: { ...common, 'x-kubernetes-action': 'list' }, post: write('post') }],
    [
      `${collection}/{name}`,
      {
        get: { ...common, 'x-kubernetes-action': 'get' },
        put: write('put'),
        patch: write('patch'),
        delete: { ...common, 'x-kubernetes-action': 'delete' },
      },
    ],
  ];
};

/** Named, so that a client sends the object here and gets the answer that says why it is not supported. */
const renderUnsupported = ({ group, version, kind, plural }: UnsupportedKind): readonly [string, Fields] => {
  const common = { 'x-kubernetes-group-version-kind': { group, version, kind }, parameters: WRITE_PARAMETERS };
  const responses = { 405: { description: 'not supported' } };
  const operation = (action: string): Fields => ({ ...common, responses, 'x-kubernetes-action': action });
  return [`/${rootOf(group, version)}/${plural}`, { post: operation('post'), patch: operation('patch') }];
};

type Render = (schema: Schema, how?: 'written-out') => Fields;

/** Types with a name are written out once, under their name. */
const createRenderer = (schemas: Record<string, Fields>): Render => {
  const render: Render = (schema, how) => {
    const { typeName } = schema;
    if (typeName === undefined || how === 'written-out') return writeOut(schema, render);
    const name = typeSchemaName(typeName);
    if (!Object.hasOwn(schemas, name)) {
      schemas[name] = {};
      schemas[name] = writeOut(schema, render);
    }
    return { allOf: [{ $ref: `#/components/schemas/${name}` }] };
  };
  return render;
};

/** Of a built-in type, `Pod`, or of a field, `PodSpec.nodeName`: only those that people ask about are described. */
const describe = (what: string): { readonly description?: string } => {
  const description = WORDS.get(what);
  return description === undefined ? {} : { description };
};

const writeOut = (schema: Schema, render: Render): Fields => {
  const { properties, items, additionalProperties, ...others } = schema;
  const { goType: _g, typeName = '', alwaysThere: _a, zeroCounts: _z, numbers: _n, wrappers: _w, ...rest } = others;
  return {
    ...describe(typeName),
    ...rest,
    ...(rest['x-kubernetes-int-or-string'] === true && rest.format === 'quantity' && { type: 'string' }),
    ...(Object.keys(properties ?? {}).length > 0 && {
      properties: Object.fromEntries(
        Object.entries(properties ?? {}).map(([name, child]) => [
          name,
          { ...render(child), ...describe(`${typeName}.${name}`) },
        ]),
      ),
    }),
    ...(items !== undefined && { items: render(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? render(additionalProperties) : additionalProperties,
    }),
  };
};
