/** What is put on Macs, as files: the agent, what it runs on, the command that starts it, and their checksums. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FleetError } from '../../src/base/errors.ts';
import { bundleKubelet } from './bundle.ts';
import { packRuntime, readMacRuntime } from './runtime.ts';
import { WRAPPER } from './wrapper.ts';

export interface BuildOptions {
  readonly project: string;
  readonly out: string;
  /** The bundle is all that a roll sends; the runtime changes rarely and takes a minute to pack. */
  readonly what: 'all' | 'bundle';
  readonly say: (line: string) => void;
}

export interface BuiltFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** As the manager looks for them: --tartkubelet-bundle-path and --tartkubelet-runtime-path. */
const NAMES = {
  bundle: 'tart-kubelet.mjs',
  runtime: 'node-darwin-arm64.gz',
  wrapper: 'tart-kubelet',
  sums: 'SHA256SUMS',
} as const;

/** What a roll sends to every Mac. */
const BUNDLE_BYTES_MAX = 1_000_000;

export const buildSet = async (options: BuildOptions): Promise<readonly BuiltFile[]> => {
  const { project, out, what, say } = options;
  await mkdir(out, { recursive: true });
  const put = async (name: string, content: Uint8Array | string, mode = 0o644): Promise<BuiltFile> => {
    await writeFile(join(out, name), content, { mode });
    const sha256 = createHash('sha256').update(content).digest('hex');
    const sizeBytes = Buffer.byteLength(content);
    say(`${sha256}  ${name}  ${sizeBytes} bytes`);
    return { name, sizeBytes, sha256 };
  };
  const { bytes, inputs } = await bundleKubelet(project);
  checkBundle(bytes, inputs);
  const files = [await put(NAMES.bundle, bytes), await put(NAMES.wrapper, WRAPPER, 0o755)];
  if (what === 'all') {
    const { version, program, signature } = await readMacRuntime(project);
    say(`Node ${version}, ${signature.pages} pages as signed by ${signature.developers.join(', ')}`);
    files.push(await put(NAMES.runtime, packRuntime(program)));
  }
  await writeFile(join(out, NAMES.sums), files.map(({ sha256, name }) => `${sha256}  ${name}\n`).join(''));
  return files;
};

/** A Mac gets nothing of the simulators and the controllers. */
const FOREIGN = /^src\/(sim|controlplane|provider|scaleway|hosts|github|runners)\//;

const checkBundle = (bytes: Uint8Array, inputs: readonly string[]): void => {
  const foreign = inputs.find((path) => FOREIGN.test(path));
  if (foreign !== undefined) throw refuse(`it holds ${foreign}, which has nothing to do on a Mac`);
  if (bytes.length > BUNDLE_BYTES_MAX) throw refuse(`it has ${bytes.length} bytes, more than ${BUNDLE_BYTES_MAX}`);
};

const refuse = (why: string): FleetError =>
  new FleetError('bug', { code: 'BadBundle', message: `the bundle of the agent cannot go to Macs: ${why}` });
