/** The name of the base that an image's VMs are cloned from. Schedulers know the same hash by the Node's labels. Pure. */
import { imageHashOf, LABELS } from '../../kinds/labels.ts';

const PREFIX = 'tuist-golden-';
const GOLDEN = /^tuist-golden-([0-9a-f]{16})$/;

export const goldenNameOf = (image: string): string => `${PREFIX}${imageHashOf(image)}`;

export const isGoldenName = (vm: string): boolean => GOLDEN.test(vm);

/** `tuist.dev/golden-<hash>`; undefined for what is no base. */
export const goldenLabelOf = (golden: string): string | undefined => {
  const hash = GOLDEN.exec(golden)?.[1];
  return hash === undefined ? undefined : `${LABELS.goldenPrefix}${hash}`;
};
