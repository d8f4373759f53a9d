/** Numbers in flags: whole, within bounds, or an error that names them. */
import { FleetError } from '../errors.ts';

export interface Bounds {
  readonly least: number;
  readonly most: number;
  /** For the error: `count of Macs`. */
  readonly what: string;
}

export const parseWhole = (text: string, { least, most, what }: Bounds): number => {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new FleetError('invalid', {
    code: 'BadNumber',
    message: `"${text}" is no ${what}`,
    hint: `Give a whole number from ${least} to ${most}.`,
  });
};

export const parsePort = (text: string): number => parseWhole(text, { least: 0, most: 65_535, what: 'port' });
