/** The agents of simulated Nodes, reached by the API in the same process instead of over TLS: ports of one small world. */
import { FleetError } from '../base/errors.ts';
import type { ConnectNode } from '../controlplane/node-logs.ts';
import type { Actor } from '../sim/kernel/actor.ts';
import { createSimTransport } from '../sim/kernel/sim-transport.ts';
import type { NodeApi } from '../sim/node/node-api.ts';
import type { ServeNode } from '../sim/node/node-server.ts';

export interface AgentsInProcess {
  readonly serve: ServeNode;
  /** As that actor. */
  connectAs(actor: Actor): ConnectNode;
}

const FIRST_PORT = 10_250;

export const createAgentsInProcess = (): AgentsInProcess => {
  const agents = new Map<number, NodeApi>();
  let nextPort = FIRST_PORT;
  return {
    serve: async (agent) => {
      const port = nextPort;
      nextPort += 1;
      agents.set(port, agent);
      return {
        port,
        close: async () => {
          agents.delete(port);
        },
      };
    },
    connectAs:
      (actor) =>
      ({ host, port }) =>
        createSimTransport({
          ...{ actor, site: 'node' },
          server: ({ method, path }) => {
            const agent = agents.get(port);
            if (agent !== undefined) return agent({ method, path });
            const message = `nobody listens at ${host}:${port}`;
            throw new FleetError('unavailable', { code: 'ConnectFailed', message });
          },
        }),
  };
};
