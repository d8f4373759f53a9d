/**
 * Amounts as an API server stores them: whole numbers with the largest suffix that leaves them whole, in the kind of suffix that they
 * came with. `16384Mi` is `16Gi`, `0.5` is `500m`, `1000` is `1k`. Pure, and exact: an amount may be larger than a double can hold.
 */

const QUANTITY = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/;

const DECIMAL: readonly string[] = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** The smallest part that is kept; what is less is rounded away from zero. */
const NANO_DIGITS = 9;
const ONE = 10n ** BigInt(NANO_DIGITS);
const LARGEST_EXPONENT = 18;

/** The text itself when it is no amount. */
export const canonicalQuantity = (value: string): string => {
  const [, sign, whole = '', fraction = '', exponent, suffix = ''] = QUANTITY.exec(value) ?? [];
  if (sign === undefined || whole + fraction === '') return value;
  const power = Math.max(0, BINARY.indexOf(suffix));
  const tens = exponent === undefined ? 3 * (DECIMAL.indexOf(suffix) - 3) : Number(exponent);
  const digits = NANO_DIGITS - fraction.length + (power > 0 ? 0 : tens);
  const nanos = shift(BigInt(whole + fraction) << BigInt(10 * power), digits);
  const minus = sign === '-' && nanos > 0n ? '-' : '';
  // Where the binary suffix would cost precision, or say less than a plain number, it goes.
  if (power > 0 && nanos >= 1_024n * ONE && nanos % ONE === 0n) return `${minus}${renderBinary(nanos / ONE)}`;
  return `${minus}${renderDecimal(nanos, exponent === undefined ? 'suffix' : 'exponent')}`;
};

/** Times ten to this power, rounded up. */
const shift = (number: bigint, digits: number): bigint => {
  if (digits >= 0) return number * 10n ** BigInt(digits);
  return divideUp(number, 10n ** BigInt(-digits));
};

const divideUp = (number: bigint, by: bigint): bigint => (number + by - 1n) / by;

const renderBinary = (whole: bigint): string => {
  let number = whole;
  let at = 0;
  for (; number % 1_024n === 0n && at < BINARY.length - 1; at += 1) number /= 1_024n;
  return `${number}${BINARY[at]}`;
};

const renderDecimal = (nanos: bigint, as: 'suffix' | 'exponent'): string => {
  if (nanos === 0n) return '0';
  let number = nanos;
  let exponent = -NANO_DIGITS;
  for (; number % 1_000n === 0n && exponent < LARGEST_EXPONENT; exponent += 3) number /= 1_000n;
  if (as === 'suffix') return `${number}${DECIMAL[exponent / 3 + 3]}`;
  return exponent === 0 ? String(number) : `${number}e${exponent}`;
};
