/** Adapter: one request to the control of a simulator, over HTTP. What it refuses is told in its own words. */
import { request } from 'undici';
import { FleetError, messageOf } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';

export interface Question {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

export type AskControl = (url: string, question: Question) => Promise<Readonly<Record<string, unknown>>>;

export const createAskControl =
  (signal: AbortSignal): AskControl =>
  async (url, { method, path, body }) => {
    const { status, text } = await send(url, { method, path, body: JSON.stringify(body ?? {}), signal });
    const answer = parseAnswer(text, url);
    if (status < 300) return answer;
    const { code, message, hint } = answer;
    throw new FleetError(status === 404 ? 'not-found' : 'invalid', {
      code: typeof code === 'string' ? code : 'ControlRefused',
      message: typeof message === 'string' ? message : `the control at ${url} answered with ${status}`,
      ...(typeof hint === 'string' ? { hint } : {}),
    });
  };

interface Sent extends Omit<Question, 'body'> {
  readonly body: string;
  readonly signal: AbortSignal;
}

const send = async (url: string, { method, path, body, signal }: Sent) => {
  try {
    const answer = await request(new URL(path, url), { method, signal, ...(method === 'GET' ? {} : { body }) });
    return { status: answer.statusCode, text: await answer.body.text() };
  } catch (cause) {
    if (signal.aborted && signal.reason instanceof FleetError) throw signal.reason;
    throw new FleetError('unavailable', {
      code: 'SimulationAway',
      message: `the control of the simulation at ${url} does not answer: ${messageOf(cause)}`,
      hint: 'Check that `macfleet up`, or the simulator, still runs on this machine.',
      cause,
    });
  }
};

const parseAnswer = (text: string, url: string): Readonly<Record<string, unknown>> => {
  try {
    const answer: unknown = JSON.parse(text);
    if (isRecord(answer)) return answer;
  } catch {
    // Told below, as for every other stranger.
  }
  throw new FleetError('invalid', {
    code: 'NoControl',
    message: `what answers at ${url} is no control of a simulator`,
    hint: 'Give the address that `macfleet sim cloud` or `macfleet sim dispatch` prints as its control.',
  });
};
