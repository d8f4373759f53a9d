/** What a person applies for runners on a real cluster: who may do what, by the roles of deploy/rbac, and the pool. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NODES_GROUP } from '../../../src/controlplane/auth/user.ts';
import type { KubeObject } from '../../../src/kube/types/meta.ts';
import { apiVersionOf, type Resource } from '../../../src/kube/types/resource.ts';
import { PROVIDER_ROLES } from '../../../src/provider/roles.ts';
import { RUNNER_ROLES } from '../../../src/runners/roles.ts';
import { IMAGE } from '../../../src/runners/testing/runner-pods.ts';
import type { SimTartSettings } from '../../../src/sim/tart/tart-settings.ts';
import { renderDispatchRights } from '../../../src/world/dispatch-rights.ts';
import { bind, RUNNERS_ACCOUNT } from '../../../src/world/identities.ts';

export const { namespace: RUNNERS_NAMESPACE } = RUNNERS_ACCOUNT;
export const POOL = 'ci';
export const POOL_SIZE = 6;

const ROOT = join(import.meta.dirname, '..', '..', '..');
/** What a person applies, to the letter: a pool of runners of half a Mac each. */
export const POOL_FILE = join(ROOT, 'examples', 'runner-pool.yaml');
const POOL_IMAGE = /^ {2}image: (\S+)$/m.exec(readFileSync(POOL_FILE, 'utf8'))?.[1] ?? '';
const GUEST = join(ROOT, 'src', 'sim', 'dispatch', 'guest', 'main.ts');
const CACHE = join(ROOT, 'node_modules', '.cache', 'sim-guest');
/** It asks ten times as often as in life, and is done with its job ten times as soon. */
const SCRIPT = `export SIM_SPEED=10 NODE_COMPILE_CACHE=${CACHE}; exec ${process.execPath} ${GUEST}`;

/** The image of the example and the one that follows it, with the real guest inside. */
export const RUNNER_IMAGES: SimTartSettings['images'] = Object.fromEntries(
  [POOL_IMAGE, IMAGE].map((image) => [image, { script: SCRIPT, bootMs: 50 }]),
);

const manifestOf = (resource: Resource<KubeObject>, object: KubeObject): object => ({
  ...{ apiVersion: apiVersionOf(resource), kind: resource.kind },
  ...object,
});

/** Bindings to the roles of deploy/rbac; `name` is theirs alone. The dispatcher is nothing that we deploy: it brings its own roles. */
export const renderRunnerBindings = (name: string): object => {
  const controller = { kind: 'ServiceAccount', ...RUNNERS_ACCOUNT };
  const nodes = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: NODES_GROUP };
  const within = (role: string) =>
    bind({ role, metadata: { name: `${name}-${role}`, namespace: RUNNERS_NAMESPACE }, subject: controller });
  const everywhere = (role: string, subject: object) => bind({ role, metadata: { name: `${name}-${role}` }, subject });
  const rights = [
    within(RUNNER_ROLES.runners.metadata.name),
    within(PROVIDER_ROLES.leaderElection.metadata.name),
    everywhere(RUNNER_ROLES.nodes.metadata.name, controller),
    everywhere(PROVIDER_ROLES.dispatchTokens.metadata.name, nodes),
    ...renderDispatchRights(RUNNERS_NAMESPACE),
  ];
  const items = rights.map(({ resource, object }) => manifestOf(resource, object));
  return { apiVersion: 'v1', kind: 'List', items };
};

/** What has to differ here: other tests have Macs on this cluster, there are more of ours, and a roll replaces three at once. */
export const renderPoolPatch = (fleet: string): object => ({
  spec: { fleetSelector: fleet, replicas: POOL_SIZE, rollout: { maxConcurrentPercent: 50 } },
});
