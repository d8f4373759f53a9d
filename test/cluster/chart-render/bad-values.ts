/** Values that cannot work, each with a word of the sentence that says so. They need no cluster. */

export interface BadValue {
  readonly story: string;
  readonly set: readonly string[];
  readonly says: RegExp;
}

const REAL = ['simulation.macs=0'];
const KEY = 'macosFleet.scaleway.credentials';
const UUID = '00000000-0000-4000-b000-000000000000';
const poolAt = (at: number, name: string): readonly string[] =>
  Object.entries({ name, runnerImage: 'a', dispatchLabel: 'b', replicas: 1 }).map(
    ([key, value]) => `runnersFleet.pools[${at}].${key}=${value}`,
  );

/** Values of the original's chart that would not do here what they did there. */
const ORIGINALS: readonly (readonly [string, RegExp])[] = [
  ['macosFleet.tailscale.enabled=true', /there is no tailnet here/],
  ['macosFleet.tailscaleEgress.enabled=true', /there is no tailnet here/],
  ['macosFleet.hostLogs.enabled=true', /logs of Macs are not shipped/],
  ['macosFleet.runnerCacheVolume.gib=80', /there are no cache volumes/],
  ['macosFleet.vmClusterEgress.enabled=true', /no way into the cluster network/],
  ['macosFleet.vmCachePrivateNetwork.enabled=true', /there are no private networks/],
  ['macosFleet.sshIngressAllowCIDRs=10.0.0.0/8', /not filtered by address/],
  ['runnersController.features.linux=true', /linux runners, which are not here/],
  ['kuraFleet.enabled=true', /linux fleets are not here/],
  ['xcresultProcessor.enabled=true', /an ordinary Deployment/],
];

export const BAD_VALUES: readonly BadValue[] = [
  { story: 'no image', set: ['image.repository='], says: /No image is published/ },
  {
    story: "the original's image",
    set: ['macosFleet.image.repository=ghcr.io/tuist/capi-provider-scaleway-applesilicon'],
    says: /is the image of the Go original/,
  },
  {
    story: 'a text where a number belongs',
    set: ['macosFleet.replicas=many'],
    says: /\/macosFleet\/replicas.*want integer/,
  },
  { story: 'a key that nobody knows', set: ['macosFleet.replica=2'], says: /'replica' not allowed/ },
  ...ORIGINALS.map(([value, says]) => ({ story: `of the original's values ${value}`, set: [value], says })),
  {
    story: 'a name of 53 characters',
    set: [`fullnameOverride=${'a'.repeat(53)}`],
    says: /has 53 characters, and 36 are/,
  },
  {
    story: 'a fleet whose name is too long',
    set: [`macosFleet.name=${'a'.repeat(52)}`],
    says: /macosFleet\.name has 52 characters, and 51 are/,
  },
  { story: 'a fleet whose name is none', set: ['macosFleet.name=Macs'], says: /"Macs" is no name of Kubernetes/ },
  {
    story: 'two fleets of one name',
    set: ['macosFleet.name=a', 'buildersFleet.name=a'],
    says: /Two fleets are called a/,
  },
  { story: 'a fleet without a pool', set: ['macosFleet.adoptPoolPrefix='], says: /no Mac could be adopted/ },
  {
    story: "a prefix that is the manager's",
    set: ['macosFleet.adoptPoolPrefix=tuist-releasing-'],
    says: /gives to Macs itself/,
  },
  {
    story: 'pools that begin alike',
    set: ['macosFleet.adoptPoolPrefix=tuist-pool-m4-'],
    says: /begins with another one/,
  },
  { story: 'an image of macOS', set: ['macosFleet.machine.os=macos-tahoe-26.3'], says: /Say a release family/ },
  {
    story: 'more Macs to rent than the spend guard allows',
    set: ['macosFleet.machine.acquire=order', 'macosFleet.replicas=3', 'manager.maxOrderedHosts=2'],
    says: /would rent 3 Macs, and the spend guard manager\.maxOrderedHosts allows 2/,
  },
  {
    story: 'Macs to rent, none of them a day',
    set: ['macosFleet.machine.acquire=order', 'manager.maxOrderedHosts=2'],
    says: /nothing would ever be ordered/,
  },
  {
    story: 'runners without a dispatcher',
    set: ['runnersController.dispatchUrl='],
    says: /where runners ask for jobs/,
  },
  { story: 'runners without a pool', set: ['runnersFleet.pools=null'], says: /has no pool/ },
  {
    story: 'two pools of one name',
    set: [0, 1].flatMap((at) => poolAt(at, 'ci')),
    says: /Two pools are called \S*ci/,
  },
  {
    story: 'a pool whose name is too long',
    set: poolAt(0, 'a'.repeat(60)),
    says: /characters in its name, and 63 are the most/,
  },
  {
    story: 'an Xcode without an image',
    set: ['runnersFleet.xcodeVersions[0]=26.0'],
    says: /does not say which version of its image/,
  },
  { story: 'half a key', set: [...REAL, `${KEY}.secretKey=x`], says: /accessKey is no access key of Scaleway/ },
  {
    story: 'a secret key that is none',
    set: [...REAL, `${KEY}.accessKey=SCWABCDEFGHIJKLMNOPQ`, `${KEY}.secretKey=very-secret`],
    says: /secretKey is no secret key of Scaleway: it is a UUID/,
  },
  {
    story: 'a project that is none',
    set: [...REAL, `${KEY}.accessKey=SCWABCDEFGHIJKLMNOPQ`, `${KEY}.secretKey=${UUID}`, `${KEY}.projectId=mine`],
    says: /projectId is no project of Scaleway/,
  },
  {
    story: 'a key that stands in two places',
    set: [...REAL, `${KEY}.accessKey=SCWABCDEFGHIJKLMNOPQ`, 'macosFleet.scaleway.secretName=scaleway'],
    says: /has both secretName and credentials/,
  },
  {
    story: 'no address',
    set: [...REAL, 'macosFleet.apiServerURL=api.example.com'],
    says: /is no address of an API server/,
  },
];
