/** A decimal number as its digits and how many of them stand after the point: nothing is rounded unless asked for. */
interface Decimal {
  readonly digits: bigint;
  readonly places: number;
}

const DECIMAL = /^([+-]?)(?=\.?\d)(\d{0,40})(?:\.(\d{0,40}))?(?:e([+-]?\d{1,2}))?$/i;

/** null: it is no number. */
export function parseDecimal(text: string): Decimal | null {
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const [, sign, whole = "", after = "", exponent = "0"] = match;
  const size = BigInt(`0${whole}${after}`);
  const digits = sign === "-" ? -size : size;
  const places = after.length - Number(exponent);
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 };
}

/** Its digits with so many places; half goes to even where places are lost. */
export function digitsAt({ digits, places }: Decimal, wanted: number): bigint {
  if (wanted >= places) return digits * 10n ** BigInt(wanted - places);
  const unit = 10n ** BigInt(places - wanted);
  const size = digits < 0n ? -digits : digits;
  const [whole, rest] = [size / unit, (size % unit) * 2n];
  const rounded = rest > unit || (rest === unit && whole % 2n === 1n) ? whole + 1n : whole;
  return digits < 0n ? -rounded : rounded;
}

/** With all of its places: 10 with one is "1.0". */
export function writeDecimal({ digits, places }: Decimal): string {
  const size = String(digits < 0n ? -digits : digits).padStart(places + 1, "0");
  const sign = digits < 0n ? "-" : "";
  return places === 0 ? `${sign}${size}` : `${sign}${size.slice(0, -places)}.${size.slice(-places)}`;
}
