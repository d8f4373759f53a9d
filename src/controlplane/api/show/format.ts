/** In which form a client wants objects: whole, as rows of a table (kubectl get), or their metadata alone. */
import { parseTimestamp } from '../../../base/clock.ts';
import { isRecord } from '../../../base/json.ts';
import type { Fields, StoredObject } from '../../store/object.ts';
import type { Entry } from '../../store/store.ts';
import type { ApiDeps, Call } from '../call.ts';
import type { Column } from '../kinds/served-kind.ts';
import { ApiRefusal, badRequest } from '../refusal.ts';
import { renderAge } from './age.ts';

export type Format = 'object' | 'table' | 'metadata';

const ANY_TYPES = ['*/*', 'application/*', ''];

/** The first form in the Accept header that this server speaks; refused when there is none. */
export const formatOf = ({ headers }: Pick<Call, 'headers'>): Format => {
  const accept = headers['accept'] ?? '';
  for (const part of accept.split(',')) {
    const [type = '', ...options] = part.split(';').map((option) => option.trim());
    if (type !== 'application/json' && !ANY_TYPES.includes(type)) continue;
    const form = options.find((option) => option.startsWith('as='))?.slice(3);
    if (form === undefined) return 'object';
    const isKnown = options.includes('g=meta.k8s.io') && options.includes('v=v1');
    if (isKnown && form === 'Table') return 'table';
    if (isKnown && /^PartialObjectMetadata(List)?$/.test(form)) return 'metadata';
  }
  const hint = /protobuf|cbor/.test(accept)
    ? " (Macfleet's embedded control plane speaks no protobuf: accept application/json too)"
    : '';
  throw new ApiRefusal('NotAcceptable', `only the following media types are accepted: application/json${hint}`, {});
};

const META = { apiVersion: 'meta.k8s.io/v1' } as const;

export const renderMetadata = ({ metadata }: StoredObject): Fields => ({
  kind: 'PartialObjectMetadata',
  ...META,
  metadata,
});

/** The bytes of the object as this version of its kind shows it. */
export const jsonOf = ({ kind }: Call, { object, json }: Entry): string => {
  const shown = kind.readAs(object);
  return shown === object ? json : JSON.stringify(shown);
};

/** The object in the form that the client wants. */
export const renderObject = ({ clock }: Pick<ApiDeps, 'clock'>, call: Call, object: StoredObject): Fields => {
  const { resourceVersion } = object.metadata;
  switch (formatOf(call)) {
    case 'table':
      return renderTable([call.kind.readAs(object)], { call, nowMs: clock.now(), listMetadata: { resourceVersion } });
    case 'metadata':
      return renderMetadata(object);
    default:
      return call.kind.readAs(object);
  }
};

interface TableOptions {
  readonly call: Call;
  readonly nowMs: number;
  readonly listMetadata: Fields;
}

const INCLUDED = ['None', 'Metadata', 'Object'];

export const renderTable = (objects: readonly StoredObject[], { call, nowMs, listMetadata }: TableOptions): Fields => {
  const { columns } = call.kind;
  const include = call.query.get('includeObject') || 'Metadata';
  if (!INCLUDED.includes(include)) throw badRequest(`unrecognized includeObject value: ${JSON.stringify(include)}`);
  return {
    kind: 'Table',
    ...META,
    metadata: listMetadata,
    columnDefinitions: columns.map((column) => renderColumn(column, call.kind.origin)),
    rows: objects.map((object) => ({
      cells: columns.map((column) => renderCell(column, object, nowMs)),
      ...(include === 'None' ? {} : { object: include === 'Object' ? object : renderMetadata(object) }),
    })),
  };
};

/** Ages of built-in kinds are texts to a client; those of a CRD are called dates. */
const renderColumn = (
  { name, type, format = '', description = '', priority = 0 }: Column,
  origin: Call['kind']['origin'],
): Fields => ({
  name,
  type: type === 'date' && origin === 'builtin' ? 'string' : type,
  format,
  description,
  priority,
});

const renderCell = (column: Column, object: StoredObject, nowMs: number): unknown => {
  const value = column.cell(object);
  if (column.type === 'date') {
    const at = typeof value === 'string' ? parseTimestamp(value) : undefined;
    return at === undefined ? '<unknown>' : renderAge(nowMs - at);
  }
  if (value === undefined || value === null) return column.type === 'string' ? '' : null;
  return isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : value;
};
