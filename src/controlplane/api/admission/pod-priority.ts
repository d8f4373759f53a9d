/**
 * A Pod gets the priority of its class, or of the class that is everybody's default, and keeps it (the plugin Priority). Its
 * number is for the server to say, not for the client. There is one default class at most.
 */
import { type Fields, fieldsOf, type StoredObject } from '../../store/object.ts';
import { keyFor, type Store } from '../../store/store.ts';
import type { Write } from '../gate.ts';
import { collectionOf } from '../kinds/served-kind.ts';
import { type AdmissionDeps, type Admit, refusedWrite, resourceOf } from './plugin.ts';

const CLASSES = collectionOf({ group: 'scheduling.k8s.io', plural: 'priorityclasses' });

const PREEMPTING = 'PreemptLowerPriority';

interface Priority {
  readonly className: string;
  readonly value: number;
  readonly preemptionPolicy: unknown;
}

/** The Pod with its priority; other objects as they are. Throws the refusal. */
export const givePriority = <T extends Fields>(write: Write, object: T, { store }: AdmissionDeps): T => {
  if (resourceOf(write) !== 'pods' || write.subresource !== '' || write.operation === 'DELETE') return object;
  const spec = fieldsOf(object['spec']);
  if (write.operation === 'UPDATE') return { ...object, spec: { ...keptPriority(write.old), ...spec } };
  const { className, value, preemptionPolicy } = priorityFor(write, String(spec['priorityClassName'] ?? ''), store);
  checkSaid(write, { what: 'integer value of priority', said: spec['priority'], computed: value });
  checkSaid(write, {
    what: 'string value of PreemptionPolicy',
    said: spec['preemptionPolicy'],
    computed: preemptionPolicy,
  });
  const named = className === '' ? {} : { priorityClassName: className };
  return { ...object, spec: { ...spec, ...named, priority: value, preemptionPolicy } };
};

const keptPriority = (old: StoredObject | undefined): Fields => {
  const { priority, preemptionPolicy } = fieldsOf(old?.['spec']);
  return {
    ...(priority !== undefined && { priority }),
    ...(preemptionPolicy !== undefined && { preemptionPolicy }),
  };
};

const priorityFor = (write: Write, className: string, store: Store): Priority => {
  const found = className === '' ? defaultClass(store) : store.get(CLASSES, keyFor(undefined, className))?.object;
  if (found !== undefined) return priorityOf(found);
  if (className !== '') throw refusedWrite(write, `no PriorityClass with name ${className} was found`);
  return { className: '', value: 0, preemptionPolicy: PREEMPTING };
};

const priorityOf = ({ metadata, value, preemptionPolicy = PREEMPTING }: StoredObject): Priority => ({
  className: metadata.name,
  value: Number(value ?? 0),
  preemptionPolicy,
});

/** Of several, which only a race can make, the lowest. */
const defaultClass = (store: Store): StoredObject | undefined =>
  store
    .list(CLASSES)
    .map(({ object }) => object)
    .filter(({ globalDefault }) => globalDefault === true)
    .toSorted((left, right) => priorityOf(left).value - priorityOf(right).value)[0];

const checkSaid = (
  write: Write,
  { what, said, computed }: { readonly what: string; readonly said: unknown; readonly computed: unknown },
): void => {
  if (said === undefined || said === computed) return;
  const why = `priority admission controller computed ${String(computed)} from the given PriorityClass name`;
  throw refusedWrite(write, `the ${what} (${String(said)}) must not be provided in pod spec; ${why}`);
};

/** A second default is refused. */
export const guardDefaultClass: Admit = (write, { store }) => {
  if (resourceOf(write) !== 'priorityclasses.scheduling.k8s.io' || write.object?.['globalDefault'] !== true) return;
  const other = defaultClass(store)?.metadata.name;
  if (other === undefined || (write.operation === 'UPDATE' && other === write.name)) return;
  throw refusedWrite(write, `PriorityClass ${other} is already marked as default. Only one default can exist`);
};
