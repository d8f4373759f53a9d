/** The passwords of the Macs: asked of a person without showing them, or read from a text. */
import { abortable } from '../../base/abort.ts';
import { cancelled, FleetError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { CliInput, CliIo } from '../io.ts';
import { readSecretFile } from './read-file.ts';

export type Passwords = ReadonlyMap<string, Secret<string>>;

export interface PasswordSource {
  /** As they were written. */
  readonly hosts: readonly string[];
  readonly user: string;
  readonly passwordFile?: string;
}

/** One for each host. */
export const collectPasswords = async (source: PasswordSource, io: CliIo): Promise<Passwords> => {
  const { hosts, passwordFile } = source;
  if (passwordFile === undefined) return askPasswords(source, io);
  if (passwordFile === '-') return parsePasswords(await readAll(inputOf(io)), hosts);
  return parsePasswords(readSecretFile(passwordFile, 'the file with the passwords').reveal(), hosts);
};

/** One line is the password of all; several are `<host> <password>` each. */
export const parsePasswords = (text: string, hosts: readonly string[]): Passwords => {
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  const [only] = lines;
  const isForAll = lines.length === 1 && only !== undefined && !hosts.some((host) => only.startsWith(`${host} `));
  if (isForAll) return new Map(hosts.map((host) => [host, new Secret(only)]));
  const found = hosts.map((host) => {
    const line = lines.find((one) => one.startsWith(`${host} `));
    if (line === undefined) throw passwordMissing(host);
    return [host, new Secret(line.slice(host.length + 1))] as const;
  });
  return new Map(found);
};

const passwordMissing = (host: string): FleetError =>
  new FleetError('invalid', {
    code: 'PasswordMissing',
    message: `no password was given for ${host}`,
    hint: 'Write a line "<host> <password>" for each host, or one line with the password of all.',
  });

const inputOf = ({ stdin }: CliIo): CliInput => {
  if (stdin !== undefined) return stdin;
  throw noInput();
};

const noInput = (): FleetError =>
  new FleetError('invalid', {
    code: 'NoTerminal',
    message: 'there is no terminal to ask for a password at',
    hint: 'Give a --password-file, or - to read the passwords from standard input.',
  });

const readAll = async (input: CliInput): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
};

const askPasswords = async ({ hosts, user }: PasswordSource, io: CliIo): Promise<Passwords> => {
  const input = inputOf(io);
  if (input.isTTY !== true || input.setRawMode === undefined) throw noInput();
  const lines = typedLines(input);
  input.setRawMode(true);
  try {
    const answers = new Map<string, Secret<string>>();
    for (const host of hosts) {
      io.stderr(`Password of ${user} at ${host} (not shown): `);
      const { value, done } = await abortable(lines.next(), io.signal);
      io.stderr('\n');
      if (done === true) throw passwordMissing(host);
      answers.set(host, new Secret(value));
    }
    return answers;
  } finally {
    input.setRawMode(false);
    // Lets go of the input, which would keep the process alive.
    void lines.return(undefined);
  }
};

const INTERRUPT = '\u0003';
const END_OF_INPUT = '\u0004';
const ERASE = ['\u007f', '\b'];

/** Lines as a person types them in raw mode, where the keys that edit are characters like any other. */
async function* typedLines(input: CliInput): AsyncGenerator<string, undefined> {
  let line = '';
  for await (const key of keysOf(input)) {
    if (key === INTERRUPT) throw cancelled('stopped at the password');
    if (key === END_OF_INPUT) return undefined;
    if (key === '\r' || key === '\n') {
      yield line;
      line = '';
    } else line = ERASE.includes(key) ? [...line].slice(0, -1).join('') : line + key;
  }
  return undefined;
}

async function* keysOf(input: CliInput): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of input) yield* typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
}
