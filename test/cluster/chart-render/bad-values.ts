/** Values that cannot work, each with a word of the sentence that says so. They need no cluster. */

export interface BadValue {
  readonly story: string;
  readonly set: readonly string[];
  readonly says: RegExp;
}

const REAL = ['simulation.macs=0'];
const KEY = 'macosFleet.scaleway.credentials';

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
  {
    story: 'the tailnet of the original',
    set: ['macosFleet.tailscale.enabled=true'],
    says: /there is no tailnet here/,
  },
  {
    story: 'reclaim of orphans',
    set: ['macosFleet.orphanReclaim.activeReclaim=true'],
    says: /is held, never wiped by itself/,
  },
  { story: 'cache volumes', set: ['macosFleet.runnerCacheVolume.gib=80'], says: /there are no cache volumes/ },
  {
    story: 'a name of 53 characters',
    set: [`fullnameOverride=${'a'.repeat(53)}`],
    says: /has 53 characters, and 36 are/,
  },
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
    story: 'no address',
    set: [...REAL, 'macosFleet.apiServerURL=api.example.com'],
    says: /is no address of an API server/,
  },
];
