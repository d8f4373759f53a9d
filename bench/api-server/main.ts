/** Entry of the API server's process: `main.ts <load as JSON>`. Says its address, then serves until its parent ends. */
import { endWithParent } from '../processes/end-with-parent.ts';
import { parseApiLoad } from './address.ts';
import { serveApi } from './serve.ts';

endWithParent();
const address = await serveApi(parseApiLoad(JSON.parse(process.argv[2] ?? '')));
process.stdout.write(`${JSON.stringify(address)}\n`);
