/**
 * What stands before the verbs: who may do what (authorization), whether this very write is acceptable (admission), and
 * the answers that are about access itself. The API calls it; src/controlplane/auth and api/admission are behind it.
 */
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import type { User } from '../auth/user.ts';
import type { Fields, StoredObject } from '../store/object.ts';
import type { ApiRequest, ApiResponse } from './http.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

/** A write about to happen. */
export interface Write {
  readonly operation: Operation;
  readonly user: User;
  readonly resource: Resource<KubeObject>;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Empty for cluster-wide kinds. */
  readonly namespace: string;
  readonly name: string;
  /** As it would be stored, or the body of a subresource that is an object of its own; undefined for DELETE. */
  readonly object: Fields | undefined;
  readonly old: StoredObject | undefined;
  readonly isDryRun: boolean;
  /** Said to the client beside the answer. */
  warn(text: string): void;
}

export interface Gate {
  /** The request as it is to be served, in whose name it may act. Throws the refusal. */
  enter(request: ApiRequest): ApiRequest;
  /** Reviews, tokens and keys; undefined when the request is about stored objects. */
  answer(request: ApiRequest): ApiResponse | undefined;
  /** Before the object is checked: fills in, or throws the refusal. */
  admit<T extends Fields>(write: Write, object: T): T;
  /** After the object was checked: throws the refusal. */
  validate(write: Write): void;
}

/** Lets everybody do everything: for tests of the verbs alone. */
export const openGate: Gate = {
  enter: (request) => request,
  answer: () => undefined,
  admit: (_write, object) => object,
  validate: () => undefined,
};
