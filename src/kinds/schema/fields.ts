/**
 * The words our kinds are written in. Each gives a zod schema that is at once the TypeScript type, the reader's check
 * and the field of the CRD, so every one of them asks for the description first. What Kubernetes adds to JSON schema
 * travels as zod metadata and comes out again in structural.ts.
 */
import * as z from 'zod';

/** One CEL rule of `x-kubernetes-validations`. */
export interface Rule {
  readonly rule: string;
  /** Shown to the person whose request is refused: what is wrong and what to do instead. */
  readonly message: string;
}

interface Ruled {
  readonly rules?: readonly Rule[];
}

const annotate = (description: string, { rules }: Ruled, more: Readonly<Record<string, unknown>> = {}) => ({
  description,
  ...more,
  ...(rules !== undefined && { 'x-kubernetes-validations': rules }),
});

export interface TextBounds extends Ruled {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: RegExp;
}

export const text = (description: string, bounds: TextBounds = {}): z.ZodString => {
  let schema = z.string();
  if (bounds.minLength !== undefined) schema = schema.min(bounds.minLength);
  if (bounds.maxLength !== undefined) schema = schema.max(bounds.maxLength);
  if (bounds.pattern !== undefined) schema = schema.regex(bounds.pattern);
  return schema.meta(annotate(description, bounds));
};

/** The longest a Kubernetes name can be; the bound of everything that names something. */
const LONGEST_NAME = 253;

/** A text that names something and is never empty. */
export const name = (description: string, { rules }: Ruled = {}): z.ZodString =>
  text(description, { minLength: 1, maxLength: LONGEST_NAME, ...(rules !== undefined && { rules }) });

export const flag = (description: string): z.ZodBoolean => z.boolean().meta(annotate(description, {}));

/** One of a closed set of words. */
export const choice = <const Word extends string>(description: string, words: readonly Word[]) =>
  z.enum(words).meta(annotate(description, {}));

/** A `metav1.Time`. */
export const time = (description: string): z.ZodISODateTime =>
  z.iso.datetime({ offset: true }).meta(annotate(description, {}));

/** What the format allows by itself. */
export const INT32 = { lowest: -(2 ** 31), highest: 2 ** 31 - 1 } as const;

export interface NumberBounds extends Ruled {
  readonly minimum?: number;
  readonly maximum?: number;
}

export const int32 = (description: string, bounds: NumberBounds = {}): z.ZodInt32 =>
  z
    .int32()
    .min(bounds.minimum ?? INT32.lowest)
    .max(bounds.maximum ?? INT32.highest)
    .meta(annotate(description, bounds, { format: 'int32' }));

/** A whole number that JSON carries exactly, that is up to 2^53. */
export const int64 = (description: string, bounds: NumberBounds = {}): z.ZodInt =>
  z
    .int()
    .min(bounds.minimum ?? Number.MIN_SAFE_INTEGER)
    .max(bounds.maximum ?? Number.MAX_SAFE_INTEGER)
    .meta(annotate(description, bounds, { format: 'int64' }));

export interface ListShape {
  readonly maxItems: number;
  /** Fields that together name an item, for server-side apply; without them the list is replaced as a whole. */
  readonly keys?: readonly string[];
}

export const list = <S extends z.ZodType>(description: string, item: S, { maxItems, keys }: ListShape): z.ZodArray<S> =>
  z
    .array(item)
    .max(maxItems)
    .meta(
      annotate(
        description,
        {},
        keys === undefined
          ? { 'x-kubernetes-list-type': 'atomic' }
          : { ...mapList, 'x-kubernetes-list-map-keys': keys },
      ),
    );

const mapList = { 'x-kubernetes-list-type': 'map' } as const;

/** Free keys, text values: labels, annotations, attributes. */
export const textMap = (description: string): z.ZodRecord<z.ZodString, z.ZodString> =>
  z.record(z.string(), z.string()).meta(annotate(description, {}));

/** Free keys, each with an amount as `resource.Quantity` writes it. */
export const quantityMap = (description: string) => z.record(z.string(), quantity).meta(annotate(description, {}));

const quantity = z.union([z.int(), z.string()]).meta({ 'x-kubernetes-int-or-string': true });

/**
 * An object with these fields. Unknown fields stay when it is read, although the type does not show them: what a newer
 * or older version of us wrote must survive a read-modify-write.
 */
export const object = <S extends z.core.$ZodShape>(
  description: string,
  fields: S,
  ruled: Ruled = {},
): z.ZodObject<S, z.core.$strip> => z.looseObject(fields).meta(annotate(description, ruled));
