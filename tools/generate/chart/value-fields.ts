/** The words that the chart's values are written in: every one asks for its description, and what is not said has a default. */
import * as z from 'zod';

export const text = (description: string, value = '') => z.string().default(value).describe(description);
export const flag = (description: string, value = false) => z.boolean().default(value).describe(description);
export const count = (description: string, value: number, minimum = 0) =>
  z.int32().min(minimum).default(value).describe(description);
/** Absent unless said. */
export const maybeCount = (description: string, minimum = 0) => z.int32().min(minimum).optional().describe(description);
export const maybeText = (description: string) => z.string().optional().describe(description);
export const choice = <const Word extends string>(description: string, words: readonly [Word, ...Word[]]) =>
  z
    .enum(words)
    .default(words[0] as never)
    .describe(description);
export const texts = (description: string, value: readonly string[] = []) =>
  z
    .array(z.string())
    .default([...value])
    .describe(description);
/** Handed on to Kubernetes, which knows its shape. */
export const anyObject = (description: string, value: Readonly<Record<string, unknown>> = {}) =>
  z
    .record(z.string(), z.unknown())
    .default({ ...value })
    .describe(description);
export const anyList = (description: string) => z.array(z.unknown()).default([]).describe(description);

export const group = <Shape extends z.core.$ZodLooseShape>(description: string, shape: Shape) =>
  z
    .strictObject(shape)
    .prefault({} as never)
    .describe(description);

/** Of the Go original and refused by the chart's own sentence, so the schema lets it pass. */
export const refused = () => z.unknown().optional();
