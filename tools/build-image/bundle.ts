/** The programs of the image as JavaScript files that import nothing but each other: the same bytes wherever they are made. */
import { basename } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { FleetError } from '../../src/base/errors.ts';
import { asBuiltins, leaveOut } from '../build-kubelet/bundle.ts';

export interface ImageBundle {
  /** By name; all lie in one folder. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Paths of what is in them, relative to the project. */
  readonly inputs: readonly string[];
}

const FRONT = 'tools/build-image/front.ts';
/** The file that Node is given. */
export const FRONT_NAME = 'macfleet.mjs';

/** ssh2 tries native parts that nobody builds here, and goes on without. */
const NATIVE = /(\.node|^cpu-features)$/;

const withoutNative: Plugin = {
  name: 'without-native',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: NATIVE }, ({ path }) => ({ path, namespace: 'native' }));
    onLoad({ filter: /.*/, namespace: 'native' }, () => ({
      contents: "throw new Error('there are no native parts');",
      loader: 'js',
    }));
  },
};

export const bundleImage = async (project: string): Promise<ImageBundle> => {
  const { outputFiles, warnings, metafile } = await build({
    ...{ absWorkingDir: project, entryPoints: { macfleet: FRONT }, bundle: true, write: false, outdir: 'bundle' },
    // What a program does not use it does not load: a manager in production holds no simulator.
    ...{ splitting: true, entryNames: '[name]', chunkNames: 'part-[hash]', outExtension: { '.js': '.mjs' } },
    ...{ platform: 'node', format: 'esm', target: 'node26', minify: true, keepNames: true },
    ...{ charset: 'ascii', legalComments: 'none', logLevel: 'silent', metafile: true },
    // Old modules ask where they are; what they would read there is inside of them.
    define: { esbuildDetection: 'true', __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
    plugins: [withoutNative, leaveOut, asBuiltins],
  });
  const foreign = Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports)
    .find(({ external }) => external);
  const problem = warnings[0]?.text ?? (foreign && `it imports ${foreign.path}`);
  if (problem !== undefined)
    throw new FleetError('bug', {
      code: 'BundleFailed',
      message: `the programs of the image were not made: ${problem}`,
    });
  const files = outputFiles.map(({ path, contents }) => [basename(path), contents] as const);
  return {
    files: new Map(files.toSorted(([one], [other]) => (one < other ? -1 : 1))),
    inputs: Object.keys(metafile.inputs).toSorted(),
  };
};
