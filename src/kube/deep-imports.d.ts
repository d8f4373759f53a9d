/**
 * Parts of two libraries that we import by file. Their entry points load everything they have (fetch, WebSocket, push
 * gateways, process metrics) and cost a controller process 100 ms and 20 MB before its first object; `npm run bench --
 * --only import` shows it. Both are pinned exactly, so a file cannot move under us.
 */
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';

  export = Pool;
}

declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici';

  export = Agent;
}

/** What the entry point makes a method of every dispatcher. */
declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici';

  const request: (this: Dispatcher, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;
  export = request;
}

declare module 'prom-client/lib/registry.js' {
  import { Registry } from 'prom-client';

  export = Registry;
}

declare module 'prom-client/lib/counter.js' {
  import { Counter } from 'prom-client';

  export = Counter;
}

declare module 'prom-client/lib/gauge.js' {
  import { Gauge } from 'prom-client';

  export = Gauge;
}

declare module 'prom-client/lib/histogram.js' {
  import { Histogram } from 'prom-client';

  export = Histogram;
}
