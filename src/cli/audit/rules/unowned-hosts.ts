/** Macs that cost money and work for nobody (I-16). A free Mac of a pool is not one: the pool owns it. */

import type { MacHost } from '../../../kinds/mac-host.ts';
import { parseServerName } from '../../../kinds/names.ts';
import { renderReason } from '../../fleet/conditions.ts';
import { isMac, serverIdOf } from '../../fleet/on-macs.ts';
import { monthlyEuros, type Prices } from '../../fleet/prices.ts';
import type { AuditedFleet, AuditRule, Finding } from '../finding.ts';

const priced = (type: string | undefined, prices: Prices): Pick<Finding, 'eurosPerMonth'> => {
  const eurosPerMonth = monthlyEuros(type, prices);
  return eurosPerMonth === undefined ? {} : { eurosPerMonth };
};

export const unownedHost: AuditRule = {
  code: 'UnownedHost',
  about: 'a Mac that works for nobody: held, in quarantine, or claimed by a machine that is gone',
  why: 'It is paid for, keeps the data of its last user, and is in no pool, so that nobody gets it.',
  needs: ['hosts', 'machines'],
  judge: ({ hosts, machines }, { prices }) => {
    const owners = new Set(machines.map(({ metadata }) => metadata.uid));
    return hosts.flatMap((host): readonly Omit<Finding, 'code'>[] => {
      const why = whyUnowned(host, owners);
      if (why === undefined) return [];
      const { name } = host.metadata;
      return [
        {
          ...{ severity: 'ticket', subject: `machost/${name}`, what: why, ...priced(host.spec.type, prices) },
          wayOut: [
            `Look at what happened: macfleet describe host ${name}`,
            `Wipe it, and put it back into its pool: macfleet release ${name} --reason NotNeeded`,
            `Or end its rent: macfleet release ${name} --policy terminate --reason NotNeeded`,
          ],
        },
      ];
    });
  },
};

/** A Mac that a person holds while its machine lives has an owner, and one that is on its way out needs nobody. */
const whyUnowned = ({ spec, status }: MacHost, owners: ReadonlySet<string | undefined>): string | undefined => {
  const hasOwner = spec.claimRef !== undefined && owners.has(spec.claimRef.uid);
  if (hasOwner || spec.release !== undefined) return undefined;
  if (spec.hold !== undefined) return `held: ${renderReason(spec.hold)}`;
  if (spec.quarantine !== undefined) return `in quarantine: ${renderReason(spec.quarantine)}`;
  if (spec.claimRef === undefined) return status?.state === 'held' ? 'held, and nobody says why' : undefined;
  return `claimed by ${spec.claimRef.namespace}/${spec.claimRef.name}, which is gone`;
};

export const nodeWithoutMachine: AuditRule = {
  code: 'NodeWithoutMachine',
  about: 'a Node that is a Mac, of which neither a machine nor a MacHost knows',
  why: 'The Mac is paid for and has credentials for the cluster, but nobody updates, heals or gives it back.',
  needs: ['nodes', 'machines'],
  judge: ({ nodes, machines, hosts }, { prices }) => {
    const known = knownServers({ machines, hosts });
    const names = new Set(machines.map(({ metadata }) => metadata.name));
    return nodes
      .filter((node) => isMac(node) && !names.has(node.metadata.name))
      .filter(({ spec }) => !known.has(serverIdOf(spec?.providerID) ?? ''))
      .map(({ metadata, spec }) => ({
        ...{ severity: 'ticket', subject: `node/${metadata.name}`, ...priced('M2-L', prices) },
        what: `the Mac ${serverIdOf(spec?.providerID) ?? 'without a providerID'} has a Node, but no machine and no MacHost`,
        wayOut: [
          'Drain it, rename its server to a name of the pool at Scaleway and reinstall it there, then delete the Node:',
          `kubectl drain ${metadata.name} --ignore-daemonsets && kubectl delete node ${metadata.name}`,
        ],
      }));
  },
};

const knownServers = ({ machines, hosts }: Pick<AuditedFleet, 'machines' | 'hosts'>): ReadonlySet<string> =>
  new Set(
    [
      ...hosts.map(({ metadata }) => metadata.name),
      ...machines.flatMap(({ spec, status }) => [status?.serverID ?? '', serverIdOf(spec.providerID) ?? '']),
    ].filter((id) => id !== ''),
  );

/** Only with `--servers`: the cluster alone cannot know what else the project pays for. */
export const unknownServer: AuditRule = {
  code: 'UnknownServer',
  about: 'a server of the project that the cluster does not know, under a name of a fleet (needs --servers)',
  why: 'It was left by a claim or a release that died half-way, and is paid for until somebody notices.',
  needs: ['machines'],
  judge: ({ servers, machines, hosts }, { prices }) => {
    const known = knownServers({ machines, hosts });
    const pools = [
      ...new Set(machines.map(({ spec }) => spec.adoptPoolPrefix ?? '').filter((prefix) => prefix !== '')),
    ];
    return servers
      .filter(({ id, name }) => !known.has(id) && parseServerName(name, pools)?.kind !== 'pool')
      .map(({ id, name, type }) => ({
        ...{ severity: 'ticket', subject: `server/${id}`, ...priced(type, prices) },
        what: `the server "${name}" is paid for, and no machine and no MacHost knows it`,
        wayOut: [
          'If no other cluster of the project uses it: rename it to a name of the pool and reinstall it at Scaleway, or delete it there.',
        ],
      }));
  },
};
