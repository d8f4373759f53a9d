/**
 * What is done to a Mac, as data. A step is a script of its id (src/hosts/steps/<id>.sh) with the phases check, apply and
 * verify; here stands what the runner must know of it. Values reach only the steps that name them, secrets on standard
 * input.
 */

export interface StepInput {
  /** `fleet`: the same on every host of a fleet, and part of the fleet's digest. `host`: this Mac's own. */
  readonly scope: 'fleet' | 'host';
  /** Taken when none is given. An input without one must be given. */
  readonly fallback?: string;
}

export interface Step {
  readonly id: string;
  /** Ids of steps that must have succeeded before. */
  readonly needs: readonly string[];
  /** Ids of steps after which it is looked at again, however it was found before: it runs from what they put there. */
  readonly follows: readonly string[];
  /** By name; the script reads `$in_<name>`. */
  readonly inputs: Readonly<Record<string, StepInput>>;
  /** One that is not known keeps the step from being applied, not from being found done already. */
  readonly secretInputs: readonly string[];
  /** Names of uploaded files; the script reads the sum of each as `$in_artefact_<name>`. */
  readonly artefacts: readonly string[];
  /** For its three phases together. */
  readonly timeoutMs: number;
}

const step = (id: string, timeoutMs: number, more: Partial<Step> = {}): Step => ({
  ...{ id, timeoutMs, needs: ['sudo'], follows: [], inputs: {}, secretInputs: [], artefacts: [] },
  ...more,
});

const HOST: StepInput = { scope: 'host' };
const FLEET: StepInput = { scope: 'fleet' };
const hostOr = (fallback: string): StepInput => ({ scope: 'host', fallback });
const fleetOr = (fallback: string): StepInput => ({ scope: 'fleet', fallback });

/** What may run in any order, and at once, as soon as sudo asks for no password. */
const PREPARING_STEPS: readonly Step[] = [
  step('auto-login', 90_000, { secretInputs: ['sudoPassword'] }),
  step('idle-sleep', 30_000),
  step('hostname', 30_000, { inputs: { nodeName: HOST } }),
  step('tart', 300_000, { artefacts: ['tart'] }),
  step('firewall', 60_000, {
    inputs: { serviceCidr: fleetOr(''), clusterDns: fleetOr(''), privateNetworkCidr: fleetOr('') },
  }),
  step('ssh-watchdog', 30_000),
  step('agent-runtime', 300_000, { artefacts: ['node'] }),
  step('agent-bundle', 120_000, { artefacts: ['agent'] }),
  step('kubeconfig', 30_000, { secretInputs: ['kubeconfig'] }),
];

/** From a Mac as it was delivered or wiped to one whose agent runs. */
export const BOOTSTRAP_STEPS: readonly Step[] = [
  // Refuses a Mac that bears the marks of another claim (R9), and puts the epoch file there, without which the Mac
  // takes no other step. `takeover` is `yes` for a host of the Go original: its marks are then no reason to refuse.
  step('first-look', 30_000, { needs: [], inputs: { claim: HOST, takeover: hostOr('no') } }),
  step('sudo', 30_000, { needs: ['first-look'], secretInputs: ['sudoPassword'] }),
  ...PREPARING_STEPS,
  step('agent', 120_000, {
    needs: PREPARING_STEPS.map(({ id }) => id),
    follows: ['agent-runtime', 'agent-bundle', 'kubeconfig'],
    inputs: {
      ...{ nodeName: HOST, providerId: HOST, fleet: FLEET },
      ...{ hostCpu: fleetOr('8'), hostMemoryMb: fleetOr('16384'), maxPods: fleetOr('3') },
      ...{ nodeLabels: fleetOr(''), disableVmGc: fleetOr('no') },
      ...{ vncRelayHost: hostOr(''), vncRelayPort: fleetOr('') },
    },
  }),
];

/** A host that builds images is a self-hosted GitHub runner too. */
export const BUILDER_STEPS: readonly Step[] = [
  ...BOOTSTRAP_STEPS,
  step('local-network', 30_000),
  step('github-runner', 900_000, {
    needs: ['agent', 'local-network'],
    inputs: { nodeName: HOST, githubOrg: FLEET, runnerLabels: FLEET, runnerVersion: FLEET },
    secretInputs: ['githubToken'],
  }),
];

/** Before a wipe: the agent must not go on as a Node that is being given up. */
export const RELEASE_STEPS: readonly Step[] = [step('stop-agent', 60_000, { needs: [] })];
