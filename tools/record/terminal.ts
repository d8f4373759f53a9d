/** A program in a pseudo-terminal of its own, which util-linux's `script` gives it: it believes that a person looks. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export const PTY = 'script';

export interface Terminal {
  readonly child: ChildProcess;
  /** All that was written to it so far. */
  readonly text: () => string;
  readonly ended: Promise<unknown[]>;
}

export interface TerminalWish {
  readonly columns: number;
  readonly folder: string;
  readonly command: string;
}

const ROWS = 50;

/** What is written to the child's stdin reaches the program as from a keyboard. */
export const openTerminal = ({ columns, folder, command }: TerminalWish): Terminal => {
  const line = `stty cols ${columns} rows ${ROWS}; exec ${command}`;
  const child = spawn(PTY, ['-qefc', line, '/dev/null'], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += String(chunk);
  });
  return { child, text: () => text, ended: once(child, 'exit') };
};
