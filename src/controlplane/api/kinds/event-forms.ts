/**
 * Events have two forms of one object: that of the core group, in which they are stored, and that of events.k8s.io, which
 * has other names for some fields and which the recorders of Kubernetes write.
 */
import { parseStoredObject, type StoredObject } from '../../store/object.ts';

export const CORE_EVENTS = { group: '', version: 'v1' } as const;
export const NEW_EVENTS = { group: 'events.k8s.io', version: 'v1' } as const;

/** In the core group, and in events.k8s.io. */
const NAMES: readonly (readonly [core: string, renamed: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
];

const FROM_CORE = new Map(NAMES);
const TO_CORE = new Map(NAMES.map(([core, renamed]) => [renamed, core]));

const rename = (event: StoredObject, names: ReadonlyMap<string, string>, apiVersion: string): StoredObject => {
  const { apiVersion: _version, ...fields } = event;
  const renamed = Object.entries(fields).map(([name, value]) => [names.get(name) ?? name, value]);
  return parseStoredObject({ apiVersion, ...Object.fromEntries(renamed) });
};

export const toCoreEvent = (event: StoredObject): StoredObject => rename(event, TO_CORE, 'v1');

export const toNewEvent = (event: StoredObject): StoredObject => rename(event, FROM_CORE, 'events.k8s.io/v1');
