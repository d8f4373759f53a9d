/** Values of the Go original's chart that would not do here what they did there: refused when set, with what to do instead. */

export interface RefusedValue {
  readonly path: string;
  /** What is not to be set: this key of it, or any value in it that is not empty. */
  readonly when: string | 'any';
  readonly instead: string;
}

const TAILNET =
  'there is no tailnet here. Macs are reached at their public address with the key of their fleet; leave it out';

export const REFUSED_VALUES: readonly RefusedValue[] = [
  { path: 'macosFleet.tailscale', when: 'enabled', instead: TAILNET },
  { path: 'macosFleet.tailscaleEgress', when: 'enabled', instead: TAILNET },
  {
    path: 'macosFleet.hostLogs',
    when: 'enabled',
    instead:
      'logs of Macs are not shipped. "kubectl logs" works on virtual machines; collect it as that of any Pod, and leave this out',
  },
  {
    path: 'macosFleet.runnerCacheVolume',
    when: 'any',
    instead: 'there are no cache volumes. Leave it out; caches of jobs go to a server',
  },
  {
    path: 'macosFleet.vmClusterEgress',
    when: 'any',
    instead: 'virtual machines have no way into the cluster network. Leave it out',
  },
  { path: 'macosFleet.vmCachePrivateNetwork', when: 'any', instead: 'there are no private networks. Leave it out' },
  {
    path: 'macosFleet.sshIngressAllowCIDRs',
    when: 'any',
    instead: 'SSH of Macs is not filtered by address, only by key. Leave it out',
  },
  {
    path: 'runnersController.features',
    when: 'any',
    instead: 'these are for linux runners, which are not here. Leave it out',
  },
  { path: 'kuraFleet', when: 'enabled', instead: 'linux fleets are not here. Leave it to the chart of the original' },
  {
    path: 'xcresultProcessor',
    when: 'enabled',
    instead:
      'it is an ordinary Deployment with the node selector of the fleet. Leave it to its own chart, and name it in manager.fleetSpreadDeployment',
  },
];
