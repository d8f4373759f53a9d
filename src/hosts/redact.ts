/** The second line of defence for secrets: whatever a Mac printed is cleaned of them before it goes any further. */
import { REDACTED, type Secret } from '../base/secret.ts';

/** A shorter word inside a longer secret, such as `users:`, betrays nothing. */
const TELLING_WORD_LENGTH = 12;

/** The text without any of these secrets, nor any long word of one: a kubeconfig is as secret as the token in it. */
export const redact = (text: string, secrets: Readonly<Record<string, Secret<string>>>): string =>
  Object.values(secrets)
    .flatMap((secret) => piecesOf(secret.reveal()))
    .sort((left, right) => right.length - left.length)
    .reduce((cleaned, piece) => cleaned.replaceAll(piece, REDACTED), text);

const piecesOf = (value: string): readonly string[] => {
  const words = value.split(/[\s"',]+/).filter(({ length }) => length >= TELLING_WORD_LENGTH);
  return [value, value.trim(), ...words].filter((piece) => piece !== '');
};
