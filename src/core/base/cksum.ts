/** The CRC of POSIX' cksum: what every worker can compute, and what is compared with it. */
export function cksum(bytes: Uint8Array): number {
  let crc = 0;
  const add = (byte: number): void => {
    crc = ((crc << 8) ^ TABLE[(crc >>> 24) ^ byte]!) >>> 0;
  };
  for (const byte of bytes) add(byte);
  for (let length = bytes.length; length > 0; length = Math.floor(length / 256)) add(length & 0xff);
  return ~crc >>> 0;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let crc = index << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc >>> 0;
});
