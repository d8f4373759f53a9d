/**
 * One simulated Mac at the level of steps: power, disk, SSH daemon, agent. It follows its server at the simulated cloud,
 * and answers sessions as the scripts on a real one would.
 */

import { createHash } from 'node:crypto';
import { type Clock, sleep } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';
import {
  authenticationFailed,
  connectionLost,
  hostKeyChanged,
  unreachableHost,
  uploadDamaged,
} from '../../hosts/port/session-errors.ts';
import type { Artefact, Batch, BatchAnswer, HostTarget, StepPhase } from '../../hosts/port.ts';
import { decodeKcpassword } from '../../macos/kcpassword.ts';
import { type AgentStart, createMacAgent, type StartAgent } from './mac-agent.ts';
import { runBatch } from './mac-batch.ts';
import { type EpochFile, freshDisk, type MacDisk } from './mac-disk.ts';
import { createMacFaults, type MacFaults, type StepFault } from './mac-faults.ts';
import { type MacInside, PAM_LOCKS_AT } from './mac-scripts.ts';
import { type SavedDisk, saveDisk } from './saved-disk.ts';

/** The truth about a Mac, for checkers. */
export interface MacView {
  readonly isUp: boolean;
  readonly hostKey: string;
  readonly epochFile: EpochFile | undefined;
  readonly hostname: string | undefined;
  readonly agent: AgentStart | undefined;
  /** Checksum of the agent's program that runs. */
  readonly bundle: string | undefined;
  readonly hasKubeconfig: boolean;
  /** Steps that are on record as verified, with their digests. */
  readonly recorded: Readonly<Record<string, string>>;
  /** How often each step was applied in this Mac's life. */
  readonly applies: Readonly<Record<string, number>>;
  readonly sudoFailures: number;
  /** Whether it logs in by itself: with its own password, or with something else. */
  readonly autoLogin: 'absent' | 'right' | 'wrong';
  /** How often sudo was given what is no password: nothing, or the marker of a sealed one. */
  readonly nonPasswords: number;
  readonly isLocked: boolean;
}

export interface SimMac {
  view(): MacView;
  addStepFault(fault: StepFault): void;
  refuseConnections(times: number): void;
  /** The connection breaks before or after the phase or upload of this number, counted from now on. */
  cutConnectionAt(number: number, kind: 'lost-before' | 'lost-after'): void;
  /** Without a wipe: as if somebody stood between us and the Mac. */
  changeHostKey(): void;
  /** The fleet's key opens it no more. */
  forgetKey(): void;
  /** On the Mac alone: Scaleway shows the old one. Not once it logs in by itself, which that would end. */
  changePassword(): void;
  /** It refuses connections from us until it boots (F40). */
  ban(): void;
  /** Nobody asked for it: its connections break, and its agent starts anew (F54). Nothing if it is down. */
  rebootItself(): void;
  /** Its agent ends, and macOS, which keeps it alive, does not this time (004-3). */
  endAgent(): void;
  /** What a Mac looks like that worked for somebody and was never wiped. */
  plantLeftover(leftover: Partial<Pick<MacDisk, 'kubeconfig' | 'epochFile' | 'lock'>>): void;
}

/** What becomes of the disk of a Mac whose power goes. */
export type DiskFate = 'kept' | 'wiped';

/** How the sessions and the cloud reach a Mac. */
export interface MacMachine extends SimMac {
  save(): SavedDisk;
  powerOn(): void;
  powerOff(): void;
  wipe(password: Secret<string>): void;
  /** Throws as Hosts.open rejects; otherwise the connection, good for one life of the Mac. */
  connect(target: HostTarget): MacConnection;
}

export interface MacConnection {
  readonly hostKey: string;
  /** Never settles if a step hangs. */
  run(batch: Batch): Promise<BatchAnswer>;
  upload(artefacts: readonly Artefact[]): Promise<void>;
}

export interface SimMacDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly password: Secret<string>;
  readonly fleetKey: Secret<string>;
  readonly startAgent: StartAgent;
  /** The disk of an earlier simulation. */
  readonly disk?: MacDisk;
  /** Called after every change of the disk, and before an agent starts. */
  readonly onChange?: () => void;
  /** Called when nothing runs on it any more, at the end of its power and at a wipe. */
  readonly onDown?: (disk: DiskFate) => void;
  /** How long a phase takes. */
  readonly phaseMs: (step: string, phase: StepPhase) => number;
  readonly uploadMs: (artefact: Artefact) => number;
  /** Aborted when the simulation ends: no timer stays behind. */
  readonly stopped: AbortSignal;
}

/** A Mac with its lid off. */
interface Body extends MacInside {
  readonly deps: SimMacDeps;
  disk: MacDisk;
  readonly faults: MacFaults;
  readonly power: { isUp: boolean; boots: number; isBanning: boolean };
}

export const createSimMac = (deps: SimMacDeps): MacMachine => {
  const drawHostKey = (): string =>
    `SHA256:${Buffer.from(deps.random.bytes(32)).toString('base64').replace(/=+$/, '')}`;
  const body: Body = {
    ...{
      deps,
      agent: createMacAgent(deps.startAgent, () => deps.onChange?.()),
      faults: createMacFaults(),
      pam: { failures: 0, nonPasswords: 0 },
      applies: new Map(),
    },
    ...{
      power: { isUp: false, boots: 0, isBanning: false },
      disk: deps.disk ?? freshDisk(drawHostKey(), deps.password),
    },
  };
  const { agent, faults, power } = body;
  const powerOn = (): void => {
    Object.assign(power, { isUp: true, boots: power.boots + 1, isBanning: false });
    body.pam.failures = 0;
    agent.start(body.disk);
  };
  return {
    powerOn,
    powerOff: () => {
      power.isUp = false;
      agent.stop();
      deps.onDown?.('kept');
    },
    wipe: (password) => {
      agent.stop();
      deps.onDown?.('wiped');
      body.disk = freshDisk(drawHostKey(), password);
      deps.onChange?.();
    },
    connect: (target) => connect(body, target),
    view: () => view(body),
    save: () => saveDisk(body.disk),
    addStepFault: faults.addStepFault,
    refuseConnections: faults.refuse,
    cutConnectionAt: faults.cutAt,
    ...createMishaps(body, { drawHostKey, powerOn }),
  };
};

type Mishaps = 'changeHostKey' | 'forgetKey' | 'changePassword' | 'ban' | 'rebootItself' | 'endAgent' | 'plantLeftover';

/** What happens to a Mac, and nobody tells. */
const createMishaps = (
  body: Body,
  { drawHostKey, powerOn }: { readonly drawHostKey: () => string; readonly powerOn: () => void },
): Pick<SimMac, Mishaps> => {
  const { deps, power, agent } = body;
  return {
    changeHostKey: () => {
      body.disk.hostKey = drawHostKey();
    },
    forgetKey: () => {
      body.disk.isKeyAuthorized = false;
    },
    changePassword: () => {
      if (body.disk.kcpassword !== undefined) return;
      Object.assign(body.disk, { password: new Secret(Buffer.from(deps.random.bytes(9)).toString('base64url')) });
    },
    ban: () => {
      power.isBanning = true;
    },
    rebootItself: () => {
      if (!power.isUp) return;
      agent.stop();
      deps.onDown?.('kept');
      powerOn();
    },
    endAgent: agent.stop,
    plantLeftover: (leftover) => {
      Object.assign(body.disk, leftover);
    },
  };
};

/** The host key is looked at before the login, as SSH does. */
const connect = (body: Body, { address, pinnedHostKey, privateKey }: HostTarget): MacConnection => {
  const { disk, power, faults, deps } = body;
  if (!power.isUp || power.isBanning || faults.takeRefusal()) throw unreachableHost(address);
  const { hostKey } = disk;
  if (pinnedHostKey !== undefined && pinnedHostKey !== hostKey) throw hostKeyChanged(address);
  const isKeyRight = privateKey.reveal() === deps.fleetKey.reveal();
  if (!isKeyRight || !disk.isKeyAuthorized) throw authenticationFailed(address);
  const { boots } = power;
  const assertAlive = (): void => {
    if (!power.isUp || power.boots !== boots) throw connectionLost();
  };
  const { clock, phaseMs, stopped } = deps;
  const onChange = (): void => deps.onChange?.();
  // The disk of the Mac that was connected to: a wipe gives it another, and then the connection is gone.
  const atWork = { ...body, clock, phaseMs, stopped, onChange, assertAlive };
  return {
    hostKey,
    run: (batch) => runBatch(atWork, batch),
    upload: async (artefacts) => {
      for (const artefact of artefacts) await takeUpload(body, artefact, assertAlive);
    },
  };
};

const takeUpload = async (body: Body, artefact: Artefact, assertAlive: () => void): Promise<void> => {
  const { deps, faults, disk } = body;
  assertAlive();
  const fault = faults.takeStepFault(`upload-${artefact.name}`, 'apply');
  if (fault?.kind === 'hang') return new Promise(() => undefined);
  const durationMs = deps.uploadMs(artefact);
  if (durationMs > 0) await sleep(deps.clock, durationMs, deps.stopped);
  const sum = createHash('sha256');
  for await (const piece of artefact.open()) sum.update(piece);
  assertAlive();
  if (fault?.kind === 'lost-before') throw connectionLost();
  const found = sum.digest('hex');
  if (fault?.kind === 'exit' || found !== artefact.sha256) throw uploadDamaged(artefact.name, found, artefact.sha256);
  disk.artefacts.add(artefact.sha256);
  deps.onChange?.();
  if (fault?.kind === 'lost-after') throw connectionLost();
};

const view = ({ power, disk, agent, pam, applies }: Body): MacView => ({
  ...{ recorded: Object.fromEntries(disk.recorded), applies: Object.fromEntries(applies) },
  ...{ isUp: power.isUp, hostKey: disk.hostKey, epochFile: disk.epochFile, hostname: disk.hostname },
  ...{ agent: agent.running(), bundle: agent.runningBundle(), hasKubeconfig: disk.kubeconfig !== undefined },
  ...{ sudoFailures: pam.failures, isLocked: pam.failures >= PAM_LOCKS_AT },
  ...{ autoLogin: autoLoginOf(disk), nonPasswords: pam.nonPasswords },
});

const autoLoginOf = ({ kcpassword, password }: MacDisk): MacView['autoLogin'] => {
  if (kcpassword === undefined) return 'absent';
  return decodeKcpassword(kcpassword) === password.reveal() ? 'right' : 'wrong';
};
