/**
 * Where the shims of all simulated Macs ask their models: a TCP port of the loopback. A question is a list of NUL-ended words (the
 * Mac's token, the command's name, who asks, its arguments); the answer is a line of three numbers and two texts.
 */
import type { Socket } from 'node:net';
import { messageOf } from '../../../base/errors.ts';
import { openLoopbackServer } from '../loopback-server.ts';
import type { CommandAnswer, CommandCall } from '../model/command.ts';

export type AnswerCall = (call: CommandCall, signal: AbortSignal) => Promise<CommandAnswer>;

export interface Door {
  readonly port: number;
  /** Questions that bear the token go to `answer`, until the returned function is called. */
  register(token: string, answer: AnswerCall): () => void;
  close(): Promise<void>;
}

const QUESTION_BYTES_MAX = 4 * 1024 * 1024;

export const openDoor = async (): Promise<Door> => {
  const macs = new Map<string, AnswerCall>();
  const { port, close } = await openLoopbackServer({}, (socket) => attend(socket, macs));
  return {
    ...{ port, close },
    register: (token, answer) => {
      macs.set(token, answer);
      return () => void macs.delete(token);
    },
  };
};

const attend = (socket: Socket, macs: ReadonlyMap<string, AnswerCall>): void => {
  let received = Buffer.alloc(0);
  const gone = new AbortController();
  socket.setNoDelay(true);
  // Whoever asked may be killed at any time.
  socket.on('error', () => socket.destroy());
  socket.on('close', () => gone.abort());
  const onData = (chunk: Buffer): void => {
    received = Buffer.concat([received, chunk]);
    const question = parseQuestion(received);
    if (question === undefined && received.length <= QUESTION_BYTES_MAX) return;
    socket.off('data', onData);
    const answer = question && macs.get(question.token);
    if (question === undefined || answer === undefined) socket.destroy();
    else void reply(socket, () => answer(question.call, gone.signal));
  };
  socket.on('data', onData);
};

const reply = async (socket: Socket, answer: () => Promise<CommandAnswer>): Promise<void> => {
  const {
    exitCode,
    stdout = '',
    stderr = '',
  } = await answer().catch((error) => ({
    ...{ exitCode: 70, stdout: '' },
    stderr: `the simulated Mac failed: ${messageOf(error)}\n`,
  }));
  if (socket.destroyed) return;
  socket.end(`${exitCode} ${Buffer.byteLength(stdout)} ${Buffer.byteLength(stderr)}\n${stdout}${stderr}`);
};

interface Question {
  readonly token: string;
  readonly call: CommandCall;
}

const HEAD = 7;

/** Undefined while words are missing. */
const parseQuestion = (received: Buffer): Question | undefined => {
  const words = received.toString('utf8').split('\0');
  const [token = '', name = '', uid, pid, cwd = '/', stdin = '', count] = words;
  // What follows the last NUL is no word yet.
  if (words.length <= HEAD || words.length - 1 < HEAD + Number(count)) return undefined;
  const args = words.slice(HEAD, HEAD + Number(count));
  return { token, call: { name, args, uid: Number(uid), pid: Number(pid), cwd, stdin } };
};
