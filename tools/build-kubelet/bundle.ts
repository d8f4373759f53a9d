/** The agent as one JavaScript file: the same bytes from the same sources, wherever it is made. */
import { build, type Plugin } from 'esbuild';
import { FleetError } from '../../src/base/errors.ts';

export interface Bundle {
  readonly bytes: Uint8Array;
  /** Paths of what is in it, relative to the project. */
  readonly inputs: readonly string[];
}

/** Some libraries are CommonJS and ask for a `require`, which a module does not have. */
const BANNER = "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);";

/** Parts of undici that the agent never gets to: HTTP/2, and a parser for processors without SIMD. */
const NEVER = /(client-h2|llhttp-wasm)\.js$/;
/** What keeps HTTP/2 out of a process that is not bundled has nothing to do in one that is. */
const NEEDLESS = /without-http2\.ts$/;

const leaveOut: Plugin = {
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

const BUILTIN = /^node:/;

/**
 * A module that imports one of Node's own makes Node read every export of it, also those that are loaded only when somebody reads them:
 * `node:http` alone brings a second undici along. Asked for by name, it gives what is used.
 */
const asBuiltins: Plugin = {
  name: 'as-builtins',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: BUILTIN }, ({ path, kind }) =>
      kind === 'import-statement' && path !== 'node:module' ? { path, namespace: 'builtin' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: 'js',
    }));
  },
};

export const bundleKubelet = async (project: string): Promise<Bundle> => {
  const { outputFiles, warnings, metafile } = await build({
    ...{ absWorkingDir: project, entryPoints: ['bin/tart-kubelet.ts'], bundle: true, write: false },
    ...{ platform: 'node', format: 'esm', target: 'node26', minify: true, keepNames: false },
    ...{ charset: 'utf8', legalComments: 'none', logLevel: 'silent', metafile: true },
    banner: { js: BANNER },
    // By this undici knows that it is bundled, and leaves out a parser that is on trial.
    define: { esbuildDetection: 'true' },
    plugins: [leaveOut, asBuiltins],
  });
  const [output] = outputFiles;
  const [warning] = warnings;
  if (output === undefined || warning !== undefined) {
    throw new FleetError('bug', {
      code: 'BundleFailed',
      message: `the bundle of the agent was not made: ${warning?.text ?? 'the bundler gave nothing'}`,
    });
  }
  return { bytes: output.contents, inputs: Object.keys(metafile.inputs).toSorted() };
};
