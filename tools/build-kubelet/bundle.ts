/** The agent as one JavaScript file: the same bytes from the same sources, wherever it is made. */
import { builtinModules } from 'node:module';
import { build, type Plugin } from 'esbuild';
import { FleetError } from '../../src/base/errors.ts';
import { fold } from './fold.ts';

export interface Bundle {
  readonly bytes: Uint8Array;
  /** Paths of what is in it, relative to the project. */
  readonly inputs: readonly string[];
}

/** Parts of undici that the agent never gets to: HTTP/2, and a parser for processors without SIMD. */
const NEVER = /(client-h2|llhttp-wasm)\.js$/;
/** What keeps HTTP/2 out of a process that is not bundled has nothing to do in one that is. */
const NEEDLESS = /without-http2\.ts$/;

export const leaveOut: Plugin = {
  name: 'leave-out',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: NEVER }, ({ path }) => ({ path, namespace: 'never' }));
    onLoad({ filter: /.*/, namespace: 'never' }, () => ({
      contents: "module.exports = () => { throw new TypeError('left out of the bundle'); };",
      loader: 'js',
    }));
    onResolve({ filter: NEEDLESS }, ({ path }) => ({ path, namespace: 'needless' }));
    onLoad({ filter: /.*/, namespace: 'needless' }, () => ({ contents: '', loader: 'js' }));
  },
};

const FRONT = 'tools/build-kubelet/front.ts';
const AGENT = 'bin/tart-kubelet.ts';

const BUILTIN = new RegExp(`^(node:|(${builtinModules.join('|')})$)`);

/**
 * A module that imports one of Node's own makes Node read every export of it, also those that are loaded only when somebody reads them:
 * `node:http` alone brings a second undici along. Asked for by name, it gives what is used.
 */
export const asBuiltins: Plugin = {
  name: 'as-builtins',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: BUILTIN }, ({ path }) => ({ path, namespace: 'builtin' }));
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: 'js',
    }));
  },
};

export const bundleKubelet = async (project: string): Promise<Bundle> => {
  const [front, agent] = [await bundle(project, FRONT), await bundle(project, AGENT)];
  // Run as a script, which knows no imports: as the body of a function, whose end is awaited.
  const program = `(async()=>{"use strict";${agent.text}\n})`;
  return { bytes: Buffer.from(fold(front.text, program), 'latin1'), inputs: agent.inputs };
};

interface Part {
  readonly text: string;
  readonly inputs: readonly string[];
}

const bundle = async (project: string, entry: string): Promise<Part> => {
  const { outputFiles, warnings, metafile } = await build({
    ...{ absWorkingDir: project, entryPoints: [entry], bundle: true, write: false },
    ...{ platform: 'node', format: 'esm', target: 'node26', minify: true, keepNames: false },
    // One byte per character: half the memory, and Node has nothing to decode.
    ...{ charset: 'ascii', legalComments: 'none', logLevel: 'silent', metafile: true },
    // By this undici knows that it is bundled, and leaves out a parser that is on trial.
    define: { esbuildDetection: 'true' },
    plugins: [leaveOut, asBuiltins],
  });
  const [output] = outputFiles;
  const [foreign] = Object.values(metafile.outputs).flatMap(({ imports }) => imports);
  const problem = warnings[0]?.text ?? (foreign && `it imports ${foreign.path}`);
  if (output === undefined || problem !== undefined) {
    throw new FleetError('bug', {
      code: 'BundleFailed',
      message: `the bundle of the agent was not made: ${problem ?? 'the bundler gave nothing'}`,
    });
  }
  return { text: output.text, inputs: Object.keys(metafile.inputs).toSorted() };
};
