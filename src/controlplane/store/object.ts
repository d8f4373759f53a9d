/** An object as the control plane keeps it: metadata is known, everything else belongs to whoever wrote it. */
import { FleetError } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The metadata that the server itself reads; other fields travel along. */
export interface StoredMeta extends Fields {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

export interface StoredObject extends Fields {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredMeta;
}

/** The value as an object that the server may keep. Whoever calls has checked metadata (api/write/metadata.ts) or wrote it. */
export const parseStoredObject = (value: unknown): StoredObject => {
  if (isRecord(value) && isRecord(value['metadata']) && typeof value['metadata']['name'] === 'string') {
    return value as StoredObject;
  }
  throw new FleetError('contract', {
    code: 'StoredObjectInvalid',
    message: 'a stored object has no metadata.name',
    hint: 'The data file was written by something else, or is damaged.',
  });
};

export const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});
