/** Data in the form that `-o` names. */
import { unreachable } from '../../base/errors.ts';
import type { Output } from '../cluster/cluster-flags.ts';

export interface Printable {
  /** For `json` and `yaml`. */
  readonly data: unknown;
  /** For `name`: `machost/…`, one each. */
  readonly names: readonly string[];
  readonly table: (shape: 'table' | 'wide') => string;
}

/** Ends in a newline, unless there is nothing. */
export const print = async (output: Output, { data, names, table }: Printable): Promise<string> => {
  switch (output) {
    case 'json':
      return `${JSON.stringify(data, undefined, 2)}\n`;
    case 'yaml': {
      const { stringify } = await import('yaml');
      return stringify(data, { aliasDuplicateObjects: false });
    }
    case 'name':
      return names.map((name) => `${name}\n`).join('');
    case 'table':
    case 'wide':
      return `${table(output)}\n`;
    default:
      return unreachable(output);
  }
};
