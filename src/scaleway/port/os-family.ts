/**
 * Which macOS a server has, and which image a wiped one gets. Scaleway names a release in several ways and retires point
 * releases without notice, so fleets pin a family and the newest image of it is looked up for every install, never kept.
 */
import { FleetError } from '../../base/errors.ts';
import { osFamilyKey } from '../../macos/os-family-key.ts';

export interface OsImage {
  readonly id: string;
  /** Such as `macos-tahoe-26.6.1`. */
  readonly name: string;
  /** Such as `Tahoe`; Scaleway documents a number here and answers with the name. */
  readonly family: string;
  readonly version: string;
  readonly isBeta: boolean;
}

export const isOfFamily = ({ family, name }: Pick<OsImage, 'family' | 'name'>, wanted: string): boolean => {
  const key = osFamilyKey(wanted);
  return key !== '' && (osFamilyKey(family) === key || osFamilyKey(name) === key);
};

/** Below zero when `left` is older. A segment with a suffix ranks below the bare one: 26.7-beta < 26.7 < 26.7.1. */
export const compareOsVersions = (left: string, right: string): number => {
  const [lefts, rights] = [left.split('.'), right.split('.')];
  for (let at = 0; at < Math.max(lefts.length, rights.length); at += 1) {
    const order = compareSegments(lefts[at] ?? '', rights[at] ?? '');
    if (order !== 0) return order;
  }
  return 0;
};

const compareSegments = (left: string, right: string): number => {
  const [leftNumber, rightNumber] = [leadingNumber(left), leadingNumber(right)];
  if (leftNumber !== rightNumber) return leftNumber - rightNumber;
  const [leftSuffix, rightSuffix] = [left.replace(/^\d+/, ''), right.replace(/^\d+/, '')];
  if (leftSuffix === rightSuffix) return 0;
  if (leftSuffix === '') return 1;
  if (rightSuffix === '') return -1;
  return leftSuffix < rightSuffix ? -1 : 1;
};

const leadingNumber = (segment: string): number => Number(/^\d+/.exec(segment)?.[0] ?? -1);

/** The newest image of the family that is no beta; the newest beta when there is nothing else. */
export const chooseOsImage = (images: readonly OsImage[], family: string): OsImage => {
  const fitting = images.filter((image) => isOfFamily(image, family));
  const released = fitting.filter(({ isBeta }) => !isBeta);
  const [newest] = (released.length > 0 ? released : fitting).toSorted((a, b) =>
    compareOsVersions(b.version, a.version),
  );
  if (newest !== undefined) return newest;
  const families = [...new Set(images.map((image) => image.family))].toSorted();
  throw new FleetError('invalid', {
    code: 'OsNotPublished',
    message: `Scaleway publishes no image of macOS "${family}" for this type of server`,
    hint: `Pin one of these families: ${families.join(', ') || 'none is published'}.`,
  });
};

/** A pin is a family; one that holds a version would strand the pool when Scaleway retires that point release. */
export const assertIsFamily = (pin: string): void => {
  if (!/\d/.test(pin)) return;
  throw new FleetError('invalid', {
    code: 'OsPinIsNoFamily',
    message: `the OS pin "${pin}" names a version; Scaleway retires versions without notice`,
    hint: `Pin the family "${osFamilyKey(pin)}" instead.`,
  });
};
