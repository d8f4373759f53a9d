/** What the manager tells Prometheus about Scaleway: how calls end, how many servers there are, and which are strange. */
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import type Registry from 'prom-client/lib/registry.js';
import { type CloudObserver, STRANGENESSES } from './observed-cloud.ts';

export const createCloudMetrics = (registry: Registry): CloudObserver => {
  const registers = [registry];
  const calls = new Counter({
    name: 'macfleet_scaleway_calls_total',
    help: 'Calls to Scaleway by verb and outcome: ok, or the kind of error. The kind contract is an answer that cannot be read.',
    labelNames: ['verb', 'outcome'],
    registers,
  });
  const servers = new Gauge({
    name: 'macfleet_scaleway_servers',
    help: 'Servers in the latest list of a zone, whoever they belong to.',
    labelNames: ['zone'],
    registers,
  });
  const strange = new Gauge({
    name: 'macfleet_scaleway_strange_servers',
    help: 'Rows in the latest list of a zone that lack something, by what they lack. They are ignored.',
    labelNames: ['zone', 'lacks'],
    registers,
  });
  return {
    called: (verb, outcome) => calls.inc({ verb, outcome }),
    listed: (list) => {
      servers.set({ zone: list.zone }, list.servers);
      for (const lacks of STRANGENESSES) strange.set({ zone: list.zone, lacks }, list.strange[lacks]);
    },
  };
};
