/**
 * The first lines of the bundle, the only ones that Node reads as a program: the agent follows in a comment. It is run from there, with
 * the code that the engine made of it at an earlier start; half of a start is compiling otherwise. Node's own cache of compiled code
 * is of no help: it holds what is compiled before a program runs, and of this one that is almost nothing.
 */
import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { keepCode, readCode } from './code-cache.ts';
import { unfold } from './fold.ts';

/** Everything that starting needs has run by then, and the engine has thrown none of its code away. */
const KEEP_AFTER_MS = 5_000;

const source = unfold(readFileSync(import.meta.filename, 'latin1'));
/** Set by the command on a Mac; without it nothing is kept. */
const path = process.env['TART_KUBELET_CODE_CACHE'];
const code = path === undefined ? undefined : readCode(path, source);
const script = new Script(source, { filename: import.meta.filename, ...(code !== undefined && { cachedData: code }) });

if (path !== undefined && (code === undefined || script.cachedDataRejected === true)) {
  const keep = (): void => {
    try {
      keepCode(path, source, script.createCachedData());
    } catch (thrown) {
      process.stderr.write(`tart-kubelet: its compiled code is not kept, the next start takes longer: ${thrown}\n`);
    }
  };
  setTimeout(keep, KEEP_AFTER_MS).unref();
}

await script.runInThisContext()();
