/** The obfuscation of /etc/kcpassword, from which loginwindow takes the password for auto-login. It protects nothing. */

const KEY = [0x7d, 0x89, 0x52, 0x23, 0xd2, 0xbc, 0xdd, 0xea, 0xa3, 0xb9, 0x1f] as const;

/** What loginwindow leaves in the file, encoded, when the password in it was wrong. */
export const SEALED_PASSWORD = '<sealed>';

/** Padded with at least one zero byte to a multiple of the key's length. */
export const encodeKcpassword = (password: string): Uint8Array => {
  const plain = Buffer.from(password, 'utf8');
  const padded = Buffer.concat([plain, Buffer.alloc(KEY.length - (plain.length % KEY.length))]);
  return mix(padded);
};

export const decodeKcpassword = (encoded: Uint8Array): string => {
  const plain = Buffer.from(mix(encoded));
  const end = plain.indexOf(0);
  return plain.toString('utf8', 0, end === -1 ? plain.length : end);
};

const mix = (bytes: Uint8Array): Uint8Array => bytes.map((byte, at) => byte ^ (KEY[at % KEY.length] ?? 0));
