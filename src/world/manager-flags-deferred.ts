/** Flags of the Go original for features that are not here. Each is taken as it is by default, and refused when it is set. */

import type { Flag } from '../base/flags/flag.ts';
import { parseBoolean } from '../base/flags/flag-values.ts';
import { parseWhole } from '../base/flags/parse-number.ts';

const GIB_MAX = 100_000;

const parseGib = (text: string): number => parseWhole(text, { least: 0, most: GIB_MAX, what: 'count of GiB' });

/** `--log-ship-url` → `CAPI_LOG_SHIP_URL`. */
const variableOf = (name: string): string => `CAPI_${name.slice(2).replaceAll('-', '_').toUpperCase()}`;

const refuse = (feature: string): NonNullable<Flag['otherwise']> => ({
  do: 'refuse',
  why: `this version has no ${feature}`,
});

const texts = (feature: string, names: readonly string[]): readonly Flag[] =>
  names.map((name) => ({
    ...{ flag: `${name} <text>`, is: feature, standard: '', env: variableOf(name), otherwise: refuse(feature) },
  }));

const TAILNET = 'tailnet on Macs';
const EGRESS = 'way to Macs through a tailnet';

export const NOT_HERE: readonly Flag[] = [
  ...texts(TAILNET, [
    ...['--tailscale-binaries-path', '--node-exporter-binary-path', '--tailscale-auth-key-secret-name'],
    '--tailscale-tags',
  ]),
  {
    flag: '--tailscale-accept-routes [boolean]',
    is: TAILNET,
    standard: 'false',
    env: variableOf('--tailscale-accept-routes'),
    parse: parseBoolean,
    otherwise: refuse(TAILNET),
  },
  ...texts(EGRESS, ['--tailscale-egress-proxy-group', '--tailscale-egress-magicdns-suffix']),
  {
    flag: '--tailscale-egress-namespace <text>',
    is: EGRESS,
    standard: 'tailscale-operator',
    env: variableOf('--tailscale-egress-namespace'),
    otherwise: refuse(EGRESS),
  },
  ...texts('shipping of logs', ['--log-shipper-binary-path', '--log-ship-url', '--log-ship-env']),
  ...texts('network of its own for VMs', [
    ...['--vm-kura-egress-cidr', '--vm-cluster-dns-ip', '--vm-cache-pn-name', '--vm-cache-pn-cidr'],
  ]),
  ...texts('guard of SSH on Macs', ['--ssh-ingress-allow-cidrs']),
  ...['--runner-cache-volume-gib', '--cache-volume-master-cap-gib', '--cache-volume-cas-gib'].map((name) => ({
    ...{ flag: `${name} <count>`, is: 'volume for caches', standard: '0', parse: parseGib },
    otherwise: refuse('volume for caches'),
  })),
];
