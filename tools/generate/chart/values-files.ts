/** values.yaml with a comment for each value, values.schema.json, and the rows of the README's table: all from one schema. */
import { stringify } from 'yaml';
import * as z from 'zod';
import { valuesSchema } from './values.ts';

interface Node {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
}

const schema = (): Node & Record<string, unknown> =>
  z.toJSONSchema(valuesSchema, { target: 'draft-7', io: 'input' }) as Node & Record<string, unknown>;

/** Helm hands `null` for a key that somebody wants removed; the rest is as zod says. */
export const renderValuesSchema = (): string => {
  const { $schema, ...rest } = schema();
  return `${JSON.stringify({ $schema, title: 'Values of the chart macfleet', ...rest }, null, 2)}\n`;
};

/** A group has properties and something to say of itself; what the original had and we refuse says nothing. */
const isGroup = ({ properties }: Node): boolean => properties !== undefined;
const isTold = ({ description }: Node): boolean => description !== undefined;

const renderNode = (key: string, node: Node, indent: string): string => {
  const comment = `${indent}# ${node.description}\n`;
  if (isGroup(node)) return `${comment}${indent}${key}:\n${renderProperties(node, `${indent}  `)}`;
  if (node.default === undefined) return `${comment}${indent}# ${key}:\n`;
  const value = stringify({ [key]: node.default }, { lineWidth: 0, flowCollectionPadding: false });
  return comment + value.replaceAll(/^(?=.)/gm, indent);
};

const renderProperties = ({ properties }: Node, indent: string): string =>
  Object.entries(properties ?? {})
    .filter(([, node]) => isTold(node))
    .map(([key, node]) => renderNode(key, node, indent))
    .join('');

export const renderValues = (): string =>
  `# Generated from tools/generate/chart by "npm run generate". Do not edit: change the schema of the values and generate again.\n${renderProperties(
    schema(),
    '',
  ).replaceAll(/^(?=# )/gm, '\n')}`;

export interface ValueRow {
  readonly path: string;
  readonly value: string;
  readonly description: string;
}

const rowsOf = (node: Node, path: string): readonly ValueRow[] => {
  if (isGroup(node)) {
    return Object.entries(node.properties ?? {})
      .filter(([, child]) => isTold(child))
      .flatMap(([key, child]) => rowsOf(child, path === '' ? key : `${path}.${key}`));
  }
  const value = node.default === undefined ? '' : JSON.stringify(node.default);
  return [{ path, value, description: node.description ?? '' }];
};

export const listValues = (): readonly ValueRow[] => rowsOf(schema(), '');
