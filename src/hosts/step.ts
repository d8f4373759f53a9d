/**
 * What is done to a Mac, as data. A step is a script of its id with three phases; here stands what the runner must know
 * of it. Values reach only the steps that name them, secrets on standard input.
 */

export interface Step {
  readonly id: string;
  /** Ids of steps that must have succeeded before. */
  readonly needs: readonly string[];
  readonly inputs: readonly string[];
  /** One that is not known keeps the step from being applied, not from being found done already. */
  readonly secretInputs: readonly string[];
  /** For its three phases together. */
  readonly timeoutMs: number;
}

const step = (id: string, timeoutMs: number, more: Partial<Step> = {}): Step => ({
  ...{ id, timeoutMs, needs: ['sudo'], inputs: [], secretInputs: [] },
  ...more,
});

/** From a Mac as it was delivered or wiped to one whose agent runs. */
export const BOOTSTRAP_STEPS: readonly Step[] = [
  // Refuses a Mac that bears the marks of another claim (R9), and puts the epoch file there, without which the Mac
  // takes no other step.
  step('first-look', 30_000, { needs: [], inputs: ['claim'] }),
  step('sudo', 30_000, { needs: ['first-look'], secretInputs: ['sudoPassword'] }),
  step('auto-login', 90_000, { secretInputs: ['sudoPassword'] }),
  step('idle-sleep', 30_000),
  step('hostname', 30_000, { inputs: ['nodeName'] }),
  step('tart', 300_000),
  step('firewall', 60_000),
  step('kubeconfig', 30_000, { secretInputs: ['kubeconfig'] }),
  step('agent-binary', 300_000),
  step('agent', 120_000, {
    needs: ['auto-login', 'idle-sleep', 'hostname', 'tart', 'firewall', 'kubeconfig', 'agent-binary'],
    inputs: ['nodeName', 'providerId', 'fleet'],
  }),
];

/** Before a wipe: the agent must not go on as a Node that is being given up. */
export const RELEASE_STEPS: readonly Step[] = [step('stop-agent', 60_000, { needs: [] })];
