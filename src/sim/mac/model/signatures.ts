/**
 * Signed programs. A program made for a Mac is, on a simulated one, a file whose first line names the loader
 * (`#!/usr/libexec/mach-o <kind> <version>`); its signature is a last line with the sum of what stands before it.
 *
 * macOS remembers, per inode, what it saw when a program first started. A file that is written over in place keeps its inode and
 * is killed at the next start, whatever its new signature says; `codesign` and a rename give it another inode.
 */
import { createHash } from 'node:crypto';
import { type CommandAnswer, complain, type MacCommands, quiet, say } from './command.ts';
import type { MacFiles } from './files.ts';

const LOADER = '#!/usr/libexec/mach-o ';
const SIGNED = '# signed ';

export interface MacProgram {
  /** `node` runs the Linux Node; every other is answered by the model's command of that name. */
  readonly kind: 'node' | 'tart';
  readonly version: string;
  readonly signature: 'signed' | 'unsigned';
}

const sumOf = (content: string): string => createHash('sha256').update(content, 'latin1').digest('hex');

const sign = (content: string): string => `${content}${SIGNED}${sumOf(content)}\n`;

/** The file of such a program. */
export const renderMacProgram = ({ kind, version, signature }: MacProgram): string => {
  const content = `${LOADER}${kind} ${version}\n`;
  return signature === 'signed' ? sign(content) : content;
};

/** What was signed, and with which sum. */
const splitSignature = (content: string): { readonly body: string; readonly sum: string | undefined } => {
  const at = content.lastIndexOf(SIGNED);
  if (at === -1 || content.indexOf('\n', at) !== content.length - 1) return { body: content, sum: undefined };
  return { body: content.slice(0, at), sum: content.slice(at + SIGNED.length, -1) };
};

const isMacProgram = (content: string): boolean => content.startsWith(LOADER) || content.startsWith('\xcf\xfa\xed\xfe');

export interface Signatures {
  readonly commands: MacCommands;
  /** Programs that were killed for their signature, oldest first. */
  killed(): readonly string[];
  /** The kernel forgets. */
  boot(): void;
}

export const createSignatures = (files: MacFiles): Signatures => {
  const seen = new Map<string, string>();
  const killed: string[] = [];
  const read = (path: string): string | undefined => files.read(path)?.toString('latin1');
  const mayStart = (path: string): boolean => {
    const content = read(path);
    const inode = files.facts(path)?.inode;
    if (content === undefined || inode === undefined) return false;
    const { body, sum } = splitSignature(content);
    const known = seen.get(inode);
    if (sum === undefined || sum !== sumOf(body) || (known !== undefined && known !== sumOf(content))) return false;
    seen.set(inode, sumOf(content));
    return true;
  };
  const signFile = (path: string, content: string, args: readonly string[]): CommandAnswer => {
    const { body, sum } = splitSignature(content);
    const isForced = args.some((arg) => arg === '--force' || arg === '-f');
    if (sum !== undefined && !isForced) return complain(1, `${path}: is already signed`);
    const { mode = 0o755, uid = 0 } = files.facts(path) ?? {};
    // A script is signed beside its text; a program in it, by a new file in its place.
    if (isMacProgram(content)) files.replace(path, Buffer.from(sign(body), 'latin1'), { mode, uid });
    return complain(0, ...(sum === undefined ? [] : [`${path}: replacing existing signature`]));
  };
  const codesign = (args: readonly string[], cwd: string): CommandAnswer => {
    const given = args.at(-1) ?? '';
    const path = given.startsWith('/') ? given : `${cwd}/${given}`;
    const content = read(path);
    if (content === undefined) return complain(1, `${given}: No such file or directory`);
    if (args.some((arg) => arg === '--sign' || arg === '-s')) return signFile(path, content, args);
    const { body, sum } = splitSignature(content);
    if (sum === undefined) return complain(1, `${given}: code object is not signed at all`);
    if (sum !== sumOf(body)) return complain(1, `${given}: invalid signature (code or signature have been modified)`);
    return args.some((arg) => arg.startsWith('-d')) ? complain(0, `Executable=${path}`, 'Signature=adhoc') : quiet;
  };
  return {
    killed: () => killed,
    boot: () => seen.clear(),
    commands: {
      codesign: ({ args, cwd }) => codesign(args, cwd),
      amfi: ({ args: [path = ''] }) => {
        if (mayStart(path)) return quiet;
        killed.push(path);
        return { exitCode: 1 };
      },
      spctl: () => say('assessments enabled'),
    },
  };
};
