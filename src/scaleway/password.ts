/**
 * The sudo password of a server, out of the two places where Scaleway may show it (000-1). During macOS' credential seal
 * either or both hold a marker instead: feeding that to sudo locks the account until a reboot.
 */
import { Secret } from '../base/secret.ts';

const SEALED = '<sealed>';

interface ShownCredentials {
  /** Filled around an install only. */
  readonly sudoPassword?: string | undefined;
  /** `vnc://<user>:<password>@<host>:<port>`, on every look at one server. */
  readonly vncUrl?: string | undefined;
}

/** Absent when no place shows a password that could be the real one. */
export const readPassword = ({ sudoPassword = '', vncUrl = '' }: ShownCredentials): Secret<string> | undefined => {
  const shown = isUsable(sudoPassword) ? sudoPassword : passwordOfUrl(vncUrl);
  return isUsable(shown) ? new Secret(shown) : undefined;
};

/** A password never holds the marker, also not as a part or percent-encoded: better none than one that locks the account. */
const isUsable = (text: string): boolean => text !== '' && !text.includes(SEALED) && !decode(text).includes(SEALED);

const passwordOfUrl = (text: string): string => (URL.canParse(text) ? decode(new URL(text).password) : '');

/** What cannot be decoded was not encoded as Scaleway does it, so it is no password. */
const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
};
