/** What a guest does with the answer to its poll, by the table of the original's dispatch loop. Pure. */
import { dispatchBody } from '../../../dispatch/port/wire.ts';

export type PollStep =
  | { readonly do: 'run'; readonly jit: string }
  /** After the ordinary pause. */
  | { readonly do: 'ask-again' }
  | { readonly do: 'end'; readonly code: number; readonly why: string };

export const decidePoll = ({ status, body }: { readonly status: number; readonly body: string }): PollStep => {
  switch (status) {
    case 200: {
      const jit = readJit(body);
      return jit === '' ? { do: 'ask-again' } : { do: 'run', jit };
    }
    case 401:
    case 403:
      return { do: 'end', code: 1, why: `dispatch refused the token: ${status}` };
    case 410:
      return { do: 'end', code: 0, why: 'drained' };
    default:
      return { do: 'ask-again' };
  }
};

/** What is no answer of a dispatcher holds no job. */
const readJit = (body: string): string => {
  try {
    return dispatchBody.safeParse(JSON.parse(body)).data?.encoded_jit_config ?? '';
  } catch {
    return '';
  }
};
