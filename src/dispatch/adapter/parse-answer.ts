/** Answers of the dispatcher, read strictly: what is not one is an error, never an empty queue or an idle runner. */
import type { ZodType } from 'zod';
import { type ErrorKind, FleetError } from '../../base/errors.ts';
import type { ScalingSignals, Standing } from '../port/dispatcher.ts';
import type { DispatchResponse } from '../port/transport.ts';
import { signalsBody, standingBody } from '../port/wire.ts';

/** A cache in between may answer, but not for longer than this. */
const AGE_MAX_SECONDS = 60;

export const parseSignals = (answer: DispatchResponse, fleet: string): ScalingSignals => {
  if (answer.status !== 200) throw refusedBy('scaling signals', answer);
  if (Number(answer.headers['age'] ?? 0) > AGE_MAX_SECONDS)
    throw strange('StaleSignals', `the scaling signals of ${fleet} are ${answer.headers['age']} s old`);
  const body = parseBody(signalsBody, answer, 'scaling signals');
  if (body.fleet !== undefined && body.fleet !== fleet)
    throw strange('WrongFleet', `asked for the signals of ${fleet}, got those of ${body.fleet}`);
  const { claimed, occupied, queued, withheld, p95_concurrent_last_hour: p95 } = body;
  return { claimed, occupied, queued, withheld, p95: Math.ceil(p95) };
};

export const parseStanding = (
  answer: DispatchResponse,
  { url, podUid }: { readonly url: string; readonly podUid: string },
): Standing => {
  if (answer.status !== 200) throw refusedBy(url, answer);
  const { pod_uid: of, state, refused } = parseBody(standingBody, answer, 'standing of a runner');
  if (of !== podUid) throw strange('WrongRunner', `asked about the runner ${podUid}, got an answer about ${of}`);
  return { protocol: 2, state, refused };
};

/** A page of HTML with 200 is some proxy's, and the report has not arrived. */
export const requireAccepted = (answer: DispatchResponse, what: string): void => {
  const isPage = answer.body.trimStart().startsWith('<');
  if (answer.status === 204 || (answer.status === 200 && !isPage)) return;
  if (answer.status === 200) throw strange('NotTheDispatcher', `${what} was answered with a page of HTML`);
  throw refusedBy(what, answer);
};

const KINDS: Readonly<Record<number, ErrorKind>> = { 401: 'denied', 403: 'denied', 429: 'throttled' };

export const refusedBy = (what: string, { status }: DispatchResponse): FleetError =>
  new FleetError(KINDS[status] ?? (status >= 500 ? 'unavailable' : 'contract'), {
    code: status === 401 || status === 403 ? 'DispatcherDenied' : 'DispatcherRefused',
    message: `the dispatcher answered ${status} (${what})`,
    hint:
      status === 401 || status === 403
        ? 'The dispatcher must know the ServiceAccount of this controller.'
        : 'Look at the log of the dispatcher, and at the URL that this controller was given.',
    details: { status },
  });

const parseBody = <T>(schema: ZodType<T>, { body }: DispatchResponse, what: string): T => {
  const parsed = schema.safeParse(parseJson(body, what));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined ? '' : `: ${issue.path.join('.')} ${issue.message}`;
  throw strange('StrangeAnswer', `the ${what} cannot be understood${where}`);
};

const parseJson = (text: string, what: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw strange('NotJson', `the ${what} is no JSON`, cause);
  }
};

const strange = (code: string, message: string, cause?: unknown): FleetError =>
  new FleetError('contract', {
    ...{ code, message, hint: 'A proxy may stand in between; nothing is done with such an answer.' },
    ...(cause === undefined ? {} : { cause }),
  });
