/** What a bundle may be that goes to Macs: small, because a roll sends it to every one of them, and the agent alone. */
import { FleetError } from '../../src/base/errors.ts';
import type { Bundle } from './bundle.ts';

const BYTES_MAX = 1_000_000;
/** A Mac gets nothing of the simulators and the controllers. */
const FOREIGN = /^src\/(sim|controlplane|provider|scaleway|hosts|github|runners|dispatch|install)\//;

/** Throws when it may not. */
export const checkBundle = ({ bytes, inputs }: Bundle): void => {
  const foreign = inputs.find((path) => FOREIGN.test(path));
  if (foreign !== undefined) throw refuse(`it holds ${foreign}, which has nothing to do on a Mac`);
  if (bytes.length > BYTES_MAX) throw refuse(`it has ${bytes.length} bytes, more than ${BYTES_MAX}`);
};

const refuse = (why: string): FleetError =>
  new FleetError('bug', { code: 'BadBundle', message: `the bundle of the agent cannot go to Macs: ${why}` });
