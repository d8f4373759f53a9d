/** Shows what credentials there are at the time of each request. What was refused is asked again, once, with newer ones. */
import type { Credentials, CredentialsSource } from '../kube/client/login/credentials.ts';
import type { Transport } from '../kube/client/transport.ts';

export const createShowingTransport = (
  credentials: CredentialsSource,
  showing: (shown: Credentials) => Transport,
): Transport => ({
  send: async (request) => {
    const shown = await credentials.current(request.signal);
    const first = await showing(shown).send(request);
    if (first.status !== 401) return first;
    const renewed = await credentials.renew(shown, request.signal);
    if (renewed === shown) return first;
    for await (const _ of first.body);
    return showing(renewed).send(request);
  },
  close: () => Promise.resolve(),
});
