/**
 * The scripts of a simulated Mac: per step what its phases find and leave on the disk. They print what an operator would
 * read, and never a secret.
 */
import { isEqualJson } from '../../base/json.ts';
import type { Epoch, StepCall, StepPhase } from '../../hosts/port.ts';
import { decodeKcpassword, encodeKcpassword, SEALED_PASSWORD } from '../../macos/kcpassword.ts';
import type { MacAgent } from './mac-agent.ts';
import type { AgentJob, MacDisk } from './mac-disk.ts';
import { assertClaim, markFirstLook } from './mac-fence.ts';

/** What scripts can reach. */
export interface MacInside {
  readonly disk: MacDisk;
  readonly agent: MacAgent;
  /** Wrong passwords in a row; PAM locks the account at PAM_LOCKS_AT. A reboot clears it. */
  readonly pam: { failures: number; nonPasswords: number };
  /** How often each step was applied, for checkers. */
  readonly applies: Map<string, number>;
}

export const PAM_LOCKS_AT = 5;

/** What the password's refusal exits with, so that it is not taken for another failure. */
const PASSWORD_REFUSED_EXIT = 77;

export interface PhaseResult {
  readonly exitCode: number;
  readonly output: string;
}

export interface PhaseRun {
  readonly call: StepCall;
  readonly phase: StepPhase;
  readonly epoch: Epoch;
}

type Phase = (mac: MacInside, call: StepCall, epoch: Epoch) => PhaseResult;

interface Script {
  /** Also the verify. */
  readonly check: Phase;
  readonly apply: Phase;
}

const ok = (output = ''): PhaseResult => ({ exitCode: 0, output });
const no = (output: string, exitCode = 1): PhaseResult => ({ exitCode, output });

export const runPhase = (mac: MacInside, { call, phase, epoch }: PhaseRun): PhaseResult => {
  const script = SCRIPTS[call.step];
  if (script === undefined) return no('there is no script of this step', 127);
  if (phase !== 'apply') return script.check(mac, call, epoch);
  mac.applies.set(call.step, (mac.applies.get(call.step) ?? 0) + 1);
  return script.apply(mac, call, epoch);
};

/** A phase that asks for root without a password. */
const asRoot =
  (phase: Phase): Phase =>
  (mac, call, epoch) =>
    mac.disk.hasSudoers ? phase(mac, call, epoch) : no('sudo: a password is required');

/** A step that leaves nothing but the fact that it was done. */
const fact = (step: string): Script => ({
  check: ({ disk }) => (disk.done.has(step) ? ok() : no(`${step}: not there`)),
  apply: asRoot(({ disk }) => {
    disk.done.add(step);
    return ok();
  }),
});

/** A step that installs an uploaded file. */
const installed = (step: string, artefact: string): Script => {
  const sumOf = ({ inputs }: StepCall): string => inputs[`artefact_${artefact}`] ?? '';
  return {
    check: ({ disk }, call) => (disk.done.has(`${step} ${sumOf(call)}`) ? ok() : no(`${step}: not there`)),
    apply: asRoot(({ disk }, call) => {
      if (!disk.artefacts.has(sumOf(call))) return no(`the file ${sumOf(call)} was not uploaded`, 70);
      for (const done of disk.done) if (done.startsWith(`${step} `)) disk.done.delete(done);
      disk.done.add(`${step} ${sumOf(call)}`);
      return ok();
    }),
  };
};

const NON_PASSWORDS: readonly string[] = ['', SEALED_PASSWORD];

/** One attempt at `sudo -S`: the only place where a password is tried. */
const trySudo: Phase = ({ disk, pam }, { secrets }) => {
  if (disk.hasSudoers) return ok();
  const given = secrets['sudoPassword'];
  if (given === undefined) return no('no password given; sudo was not asked');
  if (pam.failures >= PAM_LOCKS_AT) return no('sudo: the account is locked', 70);
  if (given.reveal() !== disk.password.reveal()) {
    pam.failures += 1;
    if (NON_PASSWORDS.includes(given.reveal())) pam.nonPasswords += 1;
    return no('sudo did not take the password: Sorry, try again.', PASSWORD_REFUSED_EXIT);
  }
  pam.failures = 0;
  disk.hasSudoers = true;
  return ok();
};

/** loginwindow replaces a wrong password by a marker, so that the file looks right and no session ever starts. */
const writeKcpassword: Phase = ({ disk }, { secrets }) => {
  const given = secrets['sudoPassword']?.reveal();
  if (given === undefined) return no('no password given; /etc/kcpassword was not written');
  disk.kcpassword = encodeKcpassword(given === disk.password.reveal() ? given : SEALED_PASSWORD);
  return ok();
};

const hasAutoLogin: Phase = ({ disk }) => {
  if (disk.kcpassword === undefined) return no('/etc/kcpassword: No such file or directory');
  return decodeKcpassword(disk.kcpassword) === SEALED_PASSWORD ? no('/etc/kcpassword holds <sealed>') : ok();
};

const jobOf = ({ inputs }: StepCall): AgentJob => ({
  nodeName: inputs['nodeName'] ?? '',
  providerId: inputs['providerId'] ?? '',
  fleet: inputs['fleet'] ?? '',
});

const startJob: Phase = ({ disk, agent }, call) => {
  if (disk.kubeconfig === undefined) return no('tart-kubelet: /etc/tart-kubelet/kubeconfig: no such file');
  if (![...disk.done].some((done) => done.startsWith('agent-bundle '))) {
    return no('/usr/local/bin/tart-kubelet: No such file or directory', 127);
  }
  disk.agentJob = jobOf(call);
  agent.start(disk);
  return ok();
};

const isJobRunning: Phase = ({ disk, agent }, call) => {
  const running = agent.running();
  if (running === undefined) return no('dev.tuist.tart-kubelet: not running');
  const { kubeconfig, ...job } = running;
  if (!isEqualJson(job, jobOf(call))) return no('dev.tuist.tart-kubelet: runs with other arguments');
  return kubeconfig.reveal() === disk.kubeconfig?.reveal()
    ? ok()
    : no('dev.tuist.tart-kubelet: runs on an old kubeconfig');
};

const SCRIPTS: Readonly<Record<string, Script>> = {
  'first-look': {
    check: ({ disk }, call) => {
      assertClaim(disk, call);
      return disk.epochFile === undefined ? no('no epoch file') : ok();
    },
    apply: ({ disk }, call, epoch) => {
      markFirstLook(disk, call, epoch);
      return ok();
    },
  },
  sudo: { check: ({ disk }) => (disk.hasSudoers ? ok() : no('no sudoers file')), apply: trySudo },
  'auto-login': { check: asRoot(hasAutoLogin), apply: asRoot(writeKcpassword) },
  'idle-sleep': fact('idle-sleep'),
  hostname: {
    check: ({ disk }, { inputs }) =>
      disk.hostname === inputs['nodeName'] ? ok() : no(`${disk.hostname ?? 'no name'}`),
    apply: asRoot(({ disk }, { inputs }) => {
      disk.hostname = inputs['nodeName'];
      return ok();
    }),
  },
  tart: installed('tart', 'tart'),
  firewall: fact('firewall'),
  'ssh-watchdog': fact('ssh-watchdog'),
  'local-network': fact('local-network'),
  'github-runner': fact('github-runner'),
  'agent-runtime': installed('agent-runtime', 'node'),
  'agent-bundle': installed('agent-bundle', 'agent'),
  kubeconfig: {
    // Without one to compare with, the one that is there is right.
    check: ({ disk }, { secrets: { kubeconfig = disk.kubeconfig } }) =>
      disk.kubeconfig !== undefined && disk.kubeconfig.reveal() === kubeconfig?.reveal()
        ? ok()
        : no('another kubeconfig, or none'),
    apply: asRoot(({ disk }, { secrets }) => {
      disk.kubeconfig = secrets['kubeconfig'] ?? disk.kubeconfig;
      return disk.kubeconfig === undefined ? no('nothing on standard input') : ok();
    }),
  },
  agent: { check: isJobRunning, apply: asRoot(startJob) },
  'stop-agent': {
    check: ({ disk, agent }) =>
      disk.agentJob === undefined && agent.running() === undefined ? ok() : no('dev.tuist.tart-kubelet: loaded'),
    apply: asRoot(({ disk, agent }) => {
      disk.agentJob = undefined;
      agent.stop();
      return ok();
    }),
  },
};
