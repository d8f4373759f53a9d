/** The fleets of a lab, each under the name of its role: wished for, waited for and looked up. */
import { LABELS } from '../../../src/kinds/labels.ts';
import type { MacHost } from '../../../src/kinds/mac-host.ts';
import type { Machine } from '../../../src/kube/types/cluster-api.ts';
import { renderFleet } from './fleet-objects.ts';
import { fleetNameOf, type LabScene, type Role } from './lab-scene.ts';
import { isTrue, isUp } from './view.ts';

/** For a Mac on a busy machine: reboot, wipe and bootstrap are real work here. */
export const MAC_MS = 90_000;

export interface LabFleets {
  nameOf(role: Role): string;
  wish(role: Role, wanted?: { readonly replicas?: number; readonly template?: string }): Promise<void>;
  untilAvailable(roles: readonly Role[]): Promise<unknown>;
  /** The Machines of the fleet that are up. */
  upOf(role: Role): readonly Machine[];
  /** The one Machine of the fleet, which is up, and its Mac. */
  pairOf(role: Role): { readonly machine: Machine; readonly host: MacHost };
}

export const createLabFleets = (scene: LabScene): LabFleets => {
  const { namespace, view } = scene;
  const nameOf = (role: Role): string => fleetNameOf(namespace, role);
  const upOf = (role: Role): readonly Machine[] =>
    view.machines.list().filter((found) => isUp(found) && found.metadata.labels?.[LABELS.fleet] === nameOf(role));
  return {
    nameOf,
    upOf,
    wish: (role, { replicas = 1, template } = {}) => {
      const named = template === undefined ? {} : { template: `${nameOf(role)}-${template}` };
      return scene.apply(renderFleet({ namespace, fleet: nameOf(role), replicas, agent: 'tart-kubelet', ...named }));
    },
    untilAvailable: (roles) =>
      view.until(
        `Available: ${roles.join(', ')}`,
        () => {
          const found = roles.map((role) => view.deployments.get(`${namespace}/${nameOf(role)}`));
          return found.every((deployment) => deployment !== undefined && isTrue(deployment, 'Available'));
        },
        MAC_MS,
      ),
    pairOf: (role) => {
      const [machine, ...others] = upOf(role);
      const host = view.macs().find(({ spec }) => spec.claimRef?.name === machine?.metadata.name);
      if (machine !== undefined && host !== undefined && others.length === 0) return { machine, host };
      throw new Error(`${nameOf(role)} has not one Machine with a Mac, but ${upOf(role).length}`);
    },
  };
};
