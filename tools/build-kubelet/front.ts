/**
 * The first lines of the bundle, the only ones that Node reads as a program: the agent follows in a comment. It is run from there, with
 * the code that the engine made of it at an earlier start; half of a start is compiling otherwise. Node's own cache of compiled code
 * is of no help: it holds what is compiled before a program runs, and of this one that is almost nothing.
 */
import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { keepCode, readCode } from './code-cache.ts';
import { unfold } from './fold.ts';

/** Set by the command on a Mac; without it nothing is kept. */
const PATH = process.env['TART_KUBELET_CODE_CACHE'];
/** Set for the process that only makes the code: what that takes of memory would stay with the agent. */
const MAKES = 'TART_KUBELET_MAKES_CODE';
/** Starting is over by then. */
const MAKE_AFTER_MS = 5_000;

const compile = (): Script => {
  const { filename } = import.meta;
  const source = unfold(readFileSync(filename, 'latin1'));
  if (PATH === undefined) return new Script(source, { filename });
  const cachedData = readCode(PATH, source);
  const script = new Script(source, { filename, ...(cachedData !== undefined && { cachedData }) });
  if (cachedData !== undefined && script.cachedDataRejected !== true) return script;
  if (process.env[MAKES] === undefined) setTimeout(() => void make(), MAKE_AFTER_MS).unref();
  // Now the engine holds code of everything that has run.
  else process.once('exit', () => keepCode(PATH, source, script.createCachedData()));
  return script;
};

/** A life that does nothing, and keeps its code at its end. What it has to complain of stands in the log. */
const make = async (): Promise<void> => {
  const { spawn } = await import('node:child_process');
  const env = { ...process.env, [MAKES]: 'yes' };
  const maker = spawn(process.execPath, [import.meta.filename, '--version'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  maker.on('error', (error) => process.stderr.write(`tart-kubelet: its next start takes longer: ${error}\n`));
  maker.unref();
};

await compile().runInThisContext()();
