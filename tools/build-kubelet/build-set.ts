/** What is put on Macs, as files: the agent, what it runs on, the command that starts it, and their checksums. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleKubelet } from './bundle.ts';
import { checkBundle } from './check-bundle.ts';
import { packRuntime, readMacRuntime } from './runtime.ts';
import { WRAPPER } from './wrapper.ts';

export interface BuildOptions {
  readonly project: string;
  readonly out: string;
  /** The bundle is all that a roll sends; the runtime changes rarely and takes a minute to pack. */
  readonly what: 'all' | 'bundle';
  readonly say: (line: string) => void;
  /** The official one, unless it is said otherwise. */
  readonly readRuntime?: typeof readMacRuntime;
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

export const buildSet = async (options: BuildOptions): Promise<readonly BuiltFile[]> => {
  const { project, out, what, say, readRuntime = readMacRuntime } = options;
  await mkdir(out, { recursive: true });
  const put = async (name: string, content: Uint8Array | string, mode = 0o644): Promise<BuiltFile> => {
    await writeFile(join(out, name), content, { mode });
    const sha256 = createHash('sha256').update(content).digest('hex');
    const sizeBytes = Buffer.byteLength(content);
    say(`${sha256}  ${name}  ${sizeBytes} bytes`);
    return { name, sizeBytes, sha256 };
  };
  const bundle = await bundleKubelet(project);
  checkBundle(bundle);
  const files = [await put(NAMES.bundle, bundle.bytes), await put(NAMES.wrapper, WRAPPER, 0o755)];
  if (what === 'all') {
    const { version, program, signature } = await readRuntime(project);
    say(`Node ${version}, ${signature.pages} pages as signed by ${signature.developer}`);
    files.push(await put(NAMES.runtime, packRuntime(program)));
  }
  await writeFile(join(out, NAMES.sums), files.map(({ sha256, name }) => `${sha256}  ${name}\n`).join(''));
  return files;
};
