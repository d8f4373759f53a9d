/** Runs a scenario on the embedded control plane, on the simulation kernel: in virtual time, with faults on request. */
import { neverAborted } from '../../src/base/abort.ts';
import {
  CONTROL_PLANES,
  FLEET,
  INFRASTRUCTURE_CLUSTERS,
  renderDefinition,
  TEMPLATES,
} from '../../src/controlplane/capi/testing/fleet-objects.ts';
import {
  createFleetWorld,
  type FleetWorld,
  type FleetWorldOptions,
} from '../../src/controlplane/capi/testing/fleet-world.ts';
import { KUBECONFIG } from '../../src/controlplane/capi/testing/remote.ts';
import { INFRASTRUCTURE_MACHINES } from '../../src/controlplane/capi/testing/scripted-provider.ts';
import { NAMESPACES, SECRETS } from '../../src/kube/types/core.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../src/kube/types/extensions.ts';
import type { Scenario } from './scenario.ts';
import { createScenarioApi } from './scenario-api.ts';

export interface KernelPlay extends Pick<FleetWorldOptions, 'seed' | 'network' | 'crash' | 'front'> {
  /** Called once all is set up: the place for blows. */
  readonly disturb?: (world: FleetWorld) => void;
  /** How long what is reached must last. */
  readonly steadyMs?: number;
}

/** Where the objects of the small fleet are. */
const NAMESPACE = 'ns';
const NODE_NAMES = ['alpha', 'beta', 'gamma'];
const LIMIT_MS = 3_600_000;
const PATIENCE = { limitMs: LIMIT_MS / 2, lookEveryMs: 500 };

export const playOnKernel = async (scenario: Scenario, { disturb, steadyMs = 0, ...options }: KernelPlay) => {
  const world = createFleetWorld({ ...options, api: 'embedded' });
  prepare(world, scenario);
  disturb?.(world);
  const outcome = Promise.withResolvers<unknown>();
  let isOver = false;
  world.kernel.boot('operator', async (actor) => {
    const api = createScenarioApi({
      ...{
        kube: world.operatorClient(actor),
        clock: actor.clock,
        signal: neverAborted(),
        patience: { ...PATIENCE, steadyMs },
      },
      ...{ namespace: NAMESPACE, nodeSelector: {}, isOwnNode: () => true },
      startNode: world.startNode,
      stopNode: world.stopNode,
    });
    await scenario.run(api).then(outcome.resolve, outcome.reject);
    isOver = true;
  });
  await world.kernel.run({ maxEvents: 3_000_000, maxVirtualMs: LIMIT_MS, until: () => isOver });
  return { state: await outcome.promise, world };
};

const prepare = ({ create, startNode }: FleetWorld, { needs }: Scenario): void => {
  create(NAMESPACES, { metadata: { name: NAMESPACE } });
  for (const resource of [INFRASTRUCTURE_MACHINES, TEMPLATES, INFRASTRUCTURE_CLUSTERS, CONTROL_PLANES]) {
    create(CUSTOM_RESOURCE_DEFINITIONS, renderDefinition(resource));
  }
  if (needs === 'nodes') {
    for (const name of NODE_NAMES) startNode(name);
    return;
  }
  create(SECRETS, KUBECONFIG);
  for (const [resource, object] of FLEET) create(resource, object);
};
