/** Which test files each tier runs. Every test file is in one of them: what no tier runs proves nothing (tiers.test.ts). */
import { globSync } from 'node:fs';

/** Whole fleets on the virtual clock. They need Node alone too, but twice as much processor time as all the rest. */
const WORLDS = [
  'src/world/{fleet-kubelets,kubeconfig,node-identity,old-etcd,roll,runner-fleet,runner-guests,runner-hours,runners-world,slow-cloud}.test.ts',
  'src/world/{host,kubelet,two}-*.test.ts',
  'test/{kubelet,scenarios}/*.test.ts',
  'test/schedules-*.test.ts',
] as const;

interface TierFiles {
  readonly globs: readonly string[];
  readonly except?: readonly string[];
}

export const TIERS = {
  /** Needs Node alone. */
  'npm test': {
    globs: ['{bench,src,tools}/**/*.test.ts', 'test/*.test.ts', 'test/{contract,kubelet,scenarios}/**/*.test.ts'],
    except: WORLDS,
  },
  'npm run test:worlds': { globs: WORLDS },
  /** Needs a real sshd, real shells and a sandbox. */
  'npm run test:hosts': { globs: ['test/hosts/*.test.ts', 'test/hosts/*/*.test.ts'] },
  /** Needs a real Kubernetes. */
  'npm run test:cluster': { globs: ['test/cluster/*.test.ts'] },
} as const satisfies Readonly<Record<string, TierFiles>>;

/** Paths from the root, sorted. */
export const findTierFiles = (tier: keyof typeof TIERS, root: string): readonly string[] => {
  const { globs, except = [] }: TierFiles = TIERS[tier];
  return globSync([...globs], { cwd: root, exclude: [...except] }).sort();
};
