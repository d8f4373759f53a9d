/**
 * The control socket between `tart exec` and a guest's agent: a line of JSON asks, lines of JSON answer. Both ends go by its
 * folder, because the path of a socket must be short.
 */
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { answersItself } from '../guest.ts';
import type { ExecIo } from '../tart-context.ts';
import type { VmFaults } from '../tart-settings.ts';

const SOCKET = 'control.sock';

export interface AgentRequest extends ExecIo {
  readonly argv: readonly string[];
  readonly finish: (code: number) => void;
  /** Nobody is there: the connection ends without a word. */
  readonly refuse: () => void;
  readonly onGone: (listener: () => void) => void;
  readonly answersItself: (faults: VmFaults) => string | undefined;
}

interface Frame {
  readonly out?: string;
  readonly err?: string;
  readonly code?: number;
}

const parseFrame = (line: string): Frame => JSON.parse(line) as Frame;
const parseArgv = (line: string): readonly string[] => JSON.parse(line) as readonly string[];

export const serveAgent = (folder: string, serve: (request: AgentRequest) => void): { close(): void } => {
  const path = join(folder, SOCKET);
  rmSync(path, { force: true });
  const server = createServer((socket) => {
    const send = (frame: Frame): unknown => socket.writable && socket.write(`${JSON.stringify(frame)}\n`);
    socket.on('error', () => socket.destroy());
    createInterface({ input: socket }).once('line', (line) => {
      const argv = parseArgv(line);
      serve({
        argv,
        out: (text) => send({ out: text }),
        err: (text) => send({ err: text }),
        finish: (code) => {
          send({ code });
          socket.end();
        },
        refuse: () => socket.destroy(),
        onGone: (listener) => socket.once('close', listener),
        answersItself: (faults) => answersItself(argv, faults),
      });
    });
  });
  server.listen(shortest(path));
  return {
    close: () => {
      server.close();
      rmSync(path, { force: true });
    },
  };
};

/** The code of the program, or undefined when nobody answers. */
export const askAgent = (folder: string, argv: readonly string[], io: ExecIo): Promise<number | undefined> =>
  new Promise((resolve) => {
    const socket = connect(shortest(join(folder, SOCKET)));
    socket.on('error', () => resolve(undefined));
    socket.on('close', () => resolve(undefined));
    socket.write(`${JSON.stringify(argv)}\n`);
    createInterface({ input: socket }).on('line', (line) => {
      const { out, err, code } = parseFrame(line);
      if (out !== undefined) io.out(out);
      if (err !== undefined) io.err(err);
      if (code !== undefined) resolve(code);
    });
  });

const shortest = (path: string): string => {
  const fromHere = relative(process.cwd(), path);
  return fromHere.length < path.length ? fromHere : path;
};
