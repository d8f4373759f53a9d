/** Objects in the form that a client wants: whole, as rows of a table (kubectl get), or their metadata alone. */
import { parseTimestamp } from '../../../base/clock.ts';
import { isRecord } from '../../../base/json.ts';
import type { Fields, StoredObject } from '../../store/object.ts';
import type { Entry } from '../../store/store.ts';
import type { ApiDeps, Call } from '../call.ts';
import { asStored, type Column, type ServedKind } from '../kinds/served-kind.ts';
import { badRequest } from '../refusal.ts';
import { renderAge } from './age.ts';
import { formatOf, metaVersionOf } from './negotiate.ts';

export const renderMetadata = (call: Call, { metadata }: Pick<StoredObject, 'metadata'>): Fields => ({
  kind: 'PartialObjectMetadata',
  apiVersion: metaVersionOf(call),
  metadata,
});

/** The bytes of the object as this version of its kind shows it. */
export const jsonOf = ({ kind }: Pick<Call, 'kind'>, entry: Entry): string =>
  isShownAsStored(kind, entry) ? entry.json : JSON.stringify(kind.readAs(entry.object));

export const isShownAsStored = ({ readAs }: ServedKind, entry: Entry): boolean =>
  readAs === asStored || readAs(entry.object) === entry.object;

/** The object in the form that the client wants. */
export const renderObject = ({ clock }: Pick<ApiDeps, 'clock'>, call: Call, object: StoredObject): Fields => {
  const { resourceVersion } = object.metadata;
  switch (formatOf(call)) {
    case 'table':
      return renderTable([call.kind.readAs(object)], { call, nowMs: clock.now(), listMetadata: { resourceVersion } });
    case 'metadata':
      return renderMetadata(call, object);
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
    apiVersion: metaVersionOf(call),
    metadata: listMetadata,
    columnDefinitions: columns.map((column) => renderColumn(column, call.kind.origin)),
    rows: objects.map((object) => ({
      cells: columns.map((column) => renderCell(column, object, nowMs)),
      ...(include === 'None' ? {} : { object: include === 'Object' ? object : renderMetadata(call, object) }),
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
