/**
 * The beginning of the protocol of VNC (RFC 6143), on both sides of a relay: we show the VM's password to its screen, and
 * let the client in without one, because it has shown its token already. Versions 3.3, 3.7 and 3.8.
 */
import { createCipheriv } from 'node:crypto';
import { FleetError } from '../../../base/errors.ts';
import type { ByteReader } from './byte-reader.ts';

export interface RfbSide {
  readonly reader: ByteReader;
  readonly write: (bytes: Buffer) => void;
}

type Version = '3.3' | '3.7' | '3.8';

const NONE = 1;
const VNC_PASSWORD = 2;
const VERSION_BYTES = 12;
const CHALLENGE_BYTES = 16;
const KEY_BYTES = 8;

const GREETING: Readonly<Record<Version, string>> = {
  '3.3': 'RFB 003.003\n',
  '3.7': 'RFB 003.007\n',
  '3.8': 'RFB 003.008\n',
};

/** The newest that both know; what says something odd gets the oldest, as the RFC wants it. */
const versionOf = (greeting: Buffer): Version => {
  const [, minor] = /^RFB 003\.(\d{3})\n$/.exec(greeting.toString('latin1')) ?? [];
  if (minor === undefined) throw refused('that is not how VNC begins');
  if (Number(minor) >= 8) return '3.8';
  return Number(minor) === 7 ? '3.7' : '3.3';
};

/** Talks to the VM's screen until it would send its picture. */
export const enterScreen = async ({ reader, write }: RfbSide, password: string): Promise<void> => {
  const version = versionOf(await reader.exactly(VERSION_BYTES));
  write(Buffer.from(GREETING[version], 'latin1'));
  const type = version === '3.3' ? await givenType(reader) : await chooseType({ reader, write });
  if (type === VNC_PASSWORD) write(answerChallenge(await reader.exactly(CHALLENGE_BYTES), password));
  if (type === NONE && version !== '3.8') return;
  const result = (await reader.exactly(4)).readUInt32BE();
  if (result !== 0) throw refused('the screen did not take the password');
};

const givenType = async (reader: ByteReader): Promise<number> => {
  const type = (await reader.exactly(4)).readUInt32BE();
  if (type === NONE || type === VNC_PASSWORD) return type;
  throw refused(`the screen wants security ${type}, which is not known here`);
};

const chooseType = async ({ reader, write }: RfbSide): Promise<number> => {
  const count = (await reader.exactly(1)).readUInt8();
  if (count === 0) throw refused('the screen refuses everybody');
  const offered = await reader.exactly(count);
  const type = [VNC_PASSWORD, NONE].find((known) => offered.includes(known));
  if (type === undefined) throw refused('the screen offers no security that is known here');
  write(Buffer.of(type));
  return type;
};

/** Each byte of the password counts backwards: so the first implementation had it, and so it stayed. */
export const answerChallenge = (challenge: Buffer, password: string): Buffer => {
  const key = Buffer.alloc(KEY_BYTES);
  Buffer.from(password, 'latin1').copy(key, 0, 0, KEY_BYTES);
  const reversed = Buffer.from(key.map(reverseBits));
  // Three times the same key is the single DES that VNC means, which OpenSSL no longer offers by its name.
  const cipher = createCipheriv('des-ede3-ecb', Buffer.concat([reversed, reversed, reversed]), null);
  cipher.setAutoPadding(false);
  return Buffer.concat([cipher.update(challenge), cipher.final()]);
};

const reverseBits = (byte: number): number =>
  Array.from({ length: 8 }, (_, at) => ((byte >> at) & 1) << (7 - at)).reduce((sum, bit) => sum | bit, 0);

/** Lets the client in: nothing is asked of it any more. */
export const admitClient = async ({ reader, write }: RfbSide): Promise<void> => {
  write(Buffer.from(GREETING['3.8'], 'latin1'));
  const version = versionOf(await reader.exactly(VERSION_BYTES));
  if (version === '3.3') {
    write(Buffer.of(0, 0, 0, NONE));
    return;
  }
  write(Buffer.of(1, NONE));
  const chosen = (await reader.exactly(1)).readUInt8();
  if (chosen !== NONE) throw refused(`the client chose security ${chosen}, which was not offered`);
  if (version === '3.8') write(Buffer.of(0, 0, 0, 0));
};

const refused = (why: string): FleetError =>
  new FleetError('denied', { code: 'VncRefused', message: `the screen of a VM was not opened: ${why}` });
