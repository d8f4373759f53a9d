/** From a zod schema to the structural schema a CustomResourceDefinition carries: the subset of OpenAPI v3 the API server accepts. */
import * as z from 'zod';
import { INT32 } from './fields.ts';

export type StructuralSchema = z.core.JSONSchema.BaseSchema;

export const toStructuralSchema = (schema: z.ZodType): StructuralSchema =>
  z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    override: ({ jsonSchema }) => makeStructural(jsonSchema),
  });

/** Works in place, because that is what zod's override offers. */
const makeStructural = (node: StructuralSchema): void => {
  delete node.$schema;
  delete node.propertyNames;
  // An API server prunes what it does not know; next to `properties` it accepts no word on the rest.
  if (node.properties !== undefined) delete node.additionalProperties;
  // It drops an empty map, and would then take the same file for a change that is in dispute.
  if (Object.keys(node.properties ?? { any: true }).length === 0) delete node.properties;
  // The format says it; zod's pattern would be a second, unreadable truth.
  if (node.format === 'date-time') delete node.pattern;
  if (node.format === 'int32') dropImpliedBounds(node);
  if (node['x-kubernetes-int-or-string'] === true) node.anyOf = [{ type: 'integer' }, { type: 'string' }];
};

/** zod states the limits of 32 bits as numbers too; `format` already does. Those of JSON's integers stay: no format says them. */
const dropImpliedBounds = (node: StructuralSchema): void => {
  if (node.minimum === INT32.lowest) delete node.minimum;
  if (node.maximum === INT32.highest) delete node.maximum;
};
