/** What a Mac costs in a month, by its type. Pure. */
import { FleetError } from '../../base/errors.ts';

/** Euros per month. */
export type Prices = ReadonlyMap<string, number>;

const HOURS_PER_MONTH = 730;

/** Scaleway's list prices, from its datasheet and changelogs of 2025; `--price` says what yours are. */
export const LIST_PRICES: Prices = new Map([
  ['M1-M', 75],
  ['M2-M', 115],
  ['M2-L', 159],
  ['M4-S', 149],
  ['M4-M', Math.round(0.29 * HOURS_PER_MONTH)],
  ['M4-XL', Math.round(0.49 * HOURS_PER_MONTH)],
]);

/** The flag `--price M2-L=140`, which may be given several times. */
export const parsePrice = (text: string, before: Prices): Prices => {
  const [, type, euros] = /^([A-Za-z0-9-]+)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (type !== undefined && euros !== undefined) return new Map([...before, [type, Number(euros)]]);
  throw new FleetError('invalid', {
    code: 'BadPrice',
    message: `"${text}" is no price`,
    hint: 'Write a type of server and its euros per month: M2-L=159.',
  });
};

/** Undefined for a type that nobody gave a price for. */
export const monthlyEuros = (type: string | undefined, prices: Prices): number | undefined =>
  type === undefined ? undefined : prices.get(type);

export const renderEuros = (euros: number): string => `${Math.round(euros)} €`;
