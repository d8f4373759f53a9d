/** Amounts as Kubernetes writes them: `500m`, `1.5Gi`, `2e3`. Pure. */

const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|(m|u|n|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?)$/;

const FACTORS: Readonly<Record<string, number>> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};

/** The number that is meant; undefined when the text is no amount. */
export const parseQuantity = (value: unknown): number | undefined => {
  const [, digits, exponent, suffix] = QUANTITY.exec(String(value)) ?? [];
  if (digits === undefined) return undefined;
  const factor = suffix === undefined ? 1 : (FACTORS[suffix] ?? 1);
  return Number(`${digits}${exponent ?? ''}`) * factor;
};
