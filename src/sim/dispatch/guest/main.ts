/** The guest as a program, for VMs of the simulated Tart that are processes: its environment and shares are those of its VM. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSystemClock } from '../../../base/clock.ts';
import { FleetError } from '../../../base/errors.ts';
import type { DispatchTransport } from '../../../dispatch/port/transport.ts';
import { readGuestSettings } from './guest-ports.ts';
import { runGuest } from './run-guest.ts';

const transport: DispatchTransport = async ({ url, method, headers, body = null, signal }) => {
  try {
    const answer = await fetch(url, { method, headers, body, signal });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
  } catch (cause) {
    throw new FleetError('unavailable', { code: 'DispatcherUnreachable', message: 'no whole answer came', cause });
  }
};

const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
const shares = process.env['SHARES'] ?? '/Volumes/My Shared Files';
process.exitCode = await runGuest({
  ...{ clock: createSystemClock(), transport, signal: stopping.signal, settings: readGuestSettings(process.env) },
  token: () => readFileSync(join(shares, 'env', 'sa_token'), 'utf8'),
  print: (text) => void process.stdout.write(text),
});
