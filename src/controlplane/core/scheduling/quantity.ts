/** Kubernetes' quantities, such as `100m`, `1.5`, `2Gi` and `1e3`. Pure. */

const SUFFIX: Readonly<Record<string, number>> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};

const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([a-zA-Z]*)$/;

/** The number that is meant; undefined when the text is no quantity. */
export const parseQuantity = (text: string | number): number | undefined => {
  const [, digits, suffix = ''] = QUANTITY.exec(String(text)) ?? [];
  const factor = Object.hasOwn(SUFFIX, suffix) ? SUFFIX[suffix] : undefined;
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
};
