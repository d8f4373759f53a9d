/** The agent that tests start as a process: the bundle that Macs get, made by the tier that runs them, or here for a file that is run by itself. */
import { join, relative } from 'node:path';
import { PROJECT_ON_MAC } from '../../src/sim/mac/bash/mac-root.ts';
import { AGENT_VARIABLE, shareBundle } from '../../tools/build-kubelet/shared-bundle.ts';

const PROJECT = join(import.meta.dirname, '..', '..');

export const AGENT = process.env[AGENT_VARIABLE] ?? (await shareBundle(PROJECT));

/** Where Macs with real bash see it, if it is in the project. */
export const AGENT_ON_MAC = join(PROJECT_ON_MAC, relative(PROJECT, AGENT));
