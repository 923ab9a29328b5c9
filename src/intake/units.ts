/** Durations and sizes as people write them. A number without its unit is not understood, on purpose. */
export const DURATION_FORMS = '"30 s", "20 min", "8 h", "2 d" or "1 h 30 min"';
export const SIZE_FORMS = '"500 MB", "4 GB", "1.5 TB" (powers of 1000) or "512 MiB", "2 GiB" (powers of 1024)';

const SECONDS: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  sec: 1,
  second: 1,
  seconds: 1,
  m: 60,
  min: 60,
  minute: 60,
  minutes: 60,
  h: 3600,
  hour: 3600,
  hours: 3600,
  d: 86400,
  day: 86400,
  days: 86400,
};

const BYTES: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
};

const PART = /^\s*(\d{1,15}(?:\.\d{1,9})?)\s*([A-Za-z]{1,8})(?=[\s\d]|$)\s*/;

function sumOfParts(text: string, units: Readonly<Record<string, number>>): number | null {
  let rest = text;
  let sum = 0;
  for (let parts = 0; rest.trim() !== ""; parts++) {
    const match = PART.exec(rest);
    const unit = match ? units[match[2]!.toLowerCase()] : undefined;
    if (match === null || unit === undefined || parts === 4) return null;
    sum += Number(match[1]) * unit;
    rest = rest.slice(match[0].length);
  }
  return text.trim() === "" ? null : sum;
}

/** Seconds, or null when this is no duration. */
export const parseDuration = (text: string): number | null => (text.length > 60 ? null : sumOfParts(text, SECONDS));

/** Bytes, or null when this is no size. */
export const parseSize = (text: string): number | null => (text.length > 60 ? null : sumOfParts(text, BYTES));
