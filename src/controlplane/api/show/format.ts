/** In which form a client wants objects: whole, as rows of a table (kubectl get), or their metadata alone. */
import { parseTimestamp } from '../../../base/clock.ts';
import { isRecord } from '../../../base/json.ts';
import type { Fields } from '../../store/object.ts';
import type { Entry } from '../../store/store.ts';
import type { Call } from '../call.ts';
import type { Column } from '../kinds/served-kind.ts';
import { renderAge } from './age.ts';

export type Format = 'object' | 'table' | 'metadata';

/** The first form in the Accept header that this server speaks. */
export const formatOf = ({ headers }: Call): Format => {
  for (const part of (headers['accept'] ?? '').split(',')) {
    const options = part.split(';').map((option) => option.trim());
    const isMeta = options.includes('g=meta.k8s.io') && options.includes('v=v1');
    if (isMeta && options.includes('as=Table')) return 'table';
    if (isMeta && options.some((option) => /^as=PartialObjectMetadata(List)?$/.test(option))) return 'metadata';
    if (options[0] === 'application/json' && options.length === 1) return 'object';
  }
  return 'object';
};

const META = { apiVersion: 'meta.k8s.io/v1' } as const;

export const renderMetadata = ({ object }: Entry): Fields => ({
  kind: 'PartialObjectMetadata',
  ...META,
  metadata: object.metadata,
});

interface TableOptions {
  readonly call: Call;
  readonly nowMs: number;
  readonly listMetadata: Fields;
}

export const renderTable = (entries: readonly Entry[], { call, nowMs, listMetadata }: TableOptions): Fields => {
  const { columns } = call.kind;
  const include = call.query.get('includeObject') ?? 'Metadata';
  return {
    kind: 'Table',
    ...META,
    metadata: listMetadata,
    columnDefinitions: columns.map(renderColumn),
    rows: entries.map((entry) => ({
      cells: columns.map((column) => renderCell(column, entry, nowMs)),
      ...(include === 'None' ? {} : { object: include === 'Object' ? entry.object : renderMetadata(entry) }),
    })),
  };
};

const renderColumn = ({ name, type, format = '', description = '', priority = 0 }: Column): Fields => ({
  name,
  type: type === 'date' ? 'string' : type,
  format,
  description,
  priority,
});

const renderCell = (column: Column, { object }: Entry, nowMs: number): unknown => {
  const value = column.cell(object);
  if (column.type === 'date') {
    const at = typeof value === 'string' ? parseTimestamp(value) : undefined;
    return at === undefined ? '<unknown>' : renderAge(nowMs - at);
  }
  if (value === undefined || value === null) return column.type === 'string' ? '' : null;
  return isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : value;
};
