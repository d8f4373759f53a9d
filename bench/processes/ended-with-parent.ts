/** For programs that know nothing of a bench: `--import` this, and they end with the process that started them, however that ends. */
import { endWithParent } from './end-with-parent.ts';

endWithParent();
// Only the wish to end is listened for: it keeps nothing alive.
process.stdin.unref();
