/** What we say about a kind besides its fields: all that is needed to read its objects and to render its CRD. */
import type * as z from 'zod';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import type { Rule } from './fields.ts';

/** A column of `kubectl get`. */
export interface PrintColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
  /** Shown with `-o wide` only. */
  readonly priority?: 1;
}

export const AGE: PrintColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** Where `kubectl scale` and an autoscaler read and write the count. */
interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath: string;
}

export interface Kind<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly description: string;
  readonly shortName: string;
  readonly categories: readonly string[];
  /** Labels of the CRD itself. */
  readonly labels: Readonly<Record<string, string>>;
  readonly columns: readonly PrintColumn[];
  readonly scale?: ScalePaths;
  readonly fields: { readonly spec: z.ZodType; readonly status: z.ZodType };
  /** CEL rules over the whole object; of its metadata they see only the name. */
  readonly rules?: readonly Rule[];
}

/** What a zod schema gives, as the immutable data it is treated as. */
export type Data<S extends z.ZodType> = DeepReadonly<z.output<S>>;

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;
