/** Which test files each tier runs. Every test file is in one of them: what no tier runs proves nothing (tiers.test.ts). */
export const TIERS = {
  /** Needs Node alone. */
  'npm test': [
    ...['src/**/*.test.ts', 'tools/**/*.test.ts', 'bench/**/*.test.ts', 'test/*.test.ts'],
    ...['test/contract/**/*.test.ts', 'test/kubelet/*.test.ts', 'test/scenarios/*.test.ts'],
  ],
  /** Needs a real sshd, real shells and a sandbox. */
  'npm run test:hosts': ['test/hosts/*.test.ts', 'test/hosts/*/*.test.ts'],
  /** Needs a real Kubernetes. */
  'npm run test:cluster': ['test/cluster/*.test.ts'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
