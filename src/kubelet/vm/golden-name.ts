/** The name of the base that an image's VMs are cloned from. Schedulers know the same hash by the Node's labels. Pure. */
import { createHash } from 'node:crypto';

const PREFIX = 'tuist-golden-';
const GOLDEN = /^tuist-golden-([0-9a-f]{16})$/;

export const goldenNameOf = (image: string): string =>
  `${PREFIX}${createHash('sha256').update(image).digest('hex').slice(0, 16)}`;

export const isGoldenName = (vm: string): boolean => GOLDEN.test(vm);

/** `tuist.dev/golden-<hash>`; undefined for what is no base. */
export const goldenLabelOf = (golden: string): string | undefined => {
  const hash = GOLDEN.exec(golden)?.[1];
  return hash === undefined ? undefined : `tuist.dev/golden-${hash}`;
};
