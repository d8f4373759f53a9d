/** One concern of admission. Each sees the write, says why not, or changes nothing. */
import type { Authorize } from '../../auth/decision.ts';
import type { Store } from '../../store/store.ts';
import type { Write } from '../gate.ts';
import { type ApiRefusal, forbidden } from '../refusal.ts';

export interface AdmissionDeps {
  readonly store: Store;
  readonly authorize: Authorize;
}

/** Throws the refusal. */
export type Admit = (write: Write, deps: AdmissionDeps) => void;

export const refusedWrite = ({ resource, name }: Write, why: string): ApiRefusal =>
  forbidden(resource, name === '' ? 'Unknown' : name, why);

/** `pods`, `leases.coordination.k8s.io`. */
export const resourceOf = ({ resource: { group, plural } }: Write): string =>
  group === '' ? plural : `${plural}.${group}`;
