/**
 * Makes a Pod's VM and starts it: the one long piece of work of a Pod's life, run beside the queue. The journal says what is
 * about to be there before it is: `making` before the clone, `started` before `tart run`.
 */
import { neverAborted } from '../../base/abort.ts';
import { parseTimestamp } from '../../base/clock.ts';
import { FleetError, toFleetError } from '../../base/errors.ts';
import { LABELS } from '../../kinds/labels.ts';
import { PODS } from '../../kube/types/core.ts';
import type { Container, Pod } from '../../kube/types/pod.ts';
import { hasCommand, renderCommandFile } from '../guest/guest-command.ts';
import type { HeldImage, PullPolicy } from '../images/image-port.ts';
import type { VmRun } from '../vm/vm-port.ts';
import { fetchEnv } from './fetch-env.ts';
import type { JournalEntry } from './journal-entry.ts';
import { logPathOf, type PodPorts } from './pod-ports.ts';
import { fetchPullCredentials } from './pull-credentials.ts';
import { tellBySteps } from './pull-progress.ts';
import type { Waiting } from './render-status.ts';
import { sizeVm } from './size-vm.ts';
import { firstDueMs, mintTokens } from './tokens.ts';
import { uidOf, vmNameOf } from './vm-name.ts';

export interface MadeVm {
  readonly run: VmRun;
  readonly digest?: string;
  /** When the first of the tokens that it was given is to be renewed. */
  readonly tokensDueMs: number;
}

export interface MakeVm {
  readonly pod: Pod;
  /** Of an earlier try or run. */
  readonly entry: JournalEntry | undefined;
  readonly report: (progress: Waiting) => void;
  readonly signal: AbortSignal;
}

export const makeVm = async (ports: PodPorts, request: MakeVm): Promise<MadeVm> => {
  const { pod, entry, signal } = request;
  const { vms, journal, clock } = ports;
  const container = containerOf(pod);
  const vm = vmNameOf(pod);
  const sinceMs = clock.elapsed();
  const making = beginEntry(pod, container, entry);
  // What the guest gets and its base come side by side: the one waits for the API, the other for a registry. A Secret that is
  // missing is told at once; the pull goes on for the next try.
  const holding = holdImage(ports, container, request);
  holding.catch(() => undefined);
  const guest = await readGuest(ports, pod, { container, signal }).catch((thrown: unknown) => {
    letGo(holding);
    throw thrown;
  });
  const held = await holding;
  try {
    // A pull may have taken longer than they live.
    const tokens = firstDueMs(guest.tokens) > clock.now() ? guest.tokens : await mintTokens(pod, { ...ports, signal });
    // After a loss of power a clone that never ran is found by its name: that is not worth waiting for the disk. What an earlier run left is.
    await journal.put(making, entry === undefined ? { survives: 'death' } : {});
    if (entry !== undefined) await vms.remove(vm, signal);
    const make = async (): Promise<void> => {
      await both(cloneVm(ports, { vm, held, signal }), ports.shares.stage({ vm, ...guest, tokens }));
      ports.metrics.made(poolOf(pod), held.path, (clock.elapsed() - sinceMs) / 1_000);
    };
    const run = await start(ports, { ...request, making, container, make });
    return { run, tokensDueMs: firstDueMs(tokens), ...(held.digest !== undefined && { digest: held.digest }) };
  } finally {
    held.release();
  }
};

const containerOf = ({ spec }: Pod): Container => {
  const [container] = spec.containers;
  if (container !== undefined) return container;
  throw new FleetError('bug', { code: 'PodWithoutContainer', message: 'a Pod without a container was to be run' });
};

export const poolOf = ({ metadata }: Pod): string => metadata.labels?.[LABELS.runnerPool] || 'unknown';

const beginEntry = (pod: Pod, container: Container, earlier: JournalEntry | undefined): JournalEntry => ({
  uid: uidOf(pod),
  namespace: pod.metadata.namespace ?? 'default',
  name: pod.metadata.name,
  vm: vmNameOf(pod),
  image: container.image ?? '',
  stage: 'making',
  restarts: earlier?.restarts ?? 0,
  ...(earlier?.previous !== undefined && { previous: earlier.previous }),
});

const letGo = (holding: Promise<HeldImage>): void =>
  void holding.then(
    ({ release }) => release(),
    () => undefined,
  );

/** Both to their ends: nothing of the one goes on when the other has failed. */
const both = async <L, R>(left: Promise<L>, right: Promise<R>): Promise<readonly [L, R]> => {
  await Promise.allSettled([left, right]);
  return Promise.all([left, right]);
};

const readGuest = async (
  { client, clock, settings }: PodPorts,
  pod: Pod,
  { container, signal }: { readonly container: Container; readonly signal: AbortSignal },
) => {
  const [env, tokens] = await Promise.all([
    fetchEnv({ client, pod, container, hostIp: settings.hostIp, signal }),
    mintTokens(pod, { client, clock, signal }),
  ]);
  return { env, tokens, ...(hasCommand(container) && { command: renderCommandFile(container, env) }) };
};

const holdImage = async (
  { client, clock, images }: PodPorts,
  { image = '', imagePullPolicy }: Container,
  { pod, report, signal }: MakeVm,
): Promise<HeldImage> => {
  const credentials = await fetchPullCredentials(pod, { client, signal });
  const tell = (message: string): void => report({ reason: 'ContainerCreating', message });
  if (!images.has(image)) tell(`pulling ${image}`);
  const onProgress = tellBySteps(clock, (percent) => tell(`pulling ${image}: ${percent} %`));
  return images.ensure({ image, policy: policyOf(imagePullPolicy), credentials, onProgress, signal });
};

/** The rule of Kubernetes for those who say nothing makes `latest` a pull per VM; a base that is here will do. */
const policyOf = (policy: string | undefined): PullPolicy =>
  policy === 'Always' || policy === 'Never' ? policy : 'IfNotPresent';

interface Clone {
  readonly vm: string;
  readonly held: HeldImage;
  readonly signal: AbortSignal;
}

/** A base that Tart does not know is not here, whatever was written down: the next try makes it anew. */
const cloneVm = async ({ vms }: PodPorts, { vm, held, signal }: Clone): Promise<void> => {
  await vms.clone({ from: held.golden, to: vm, signal }).catch(async (thrown: unknown) => {
    if (toFleetError(thrown).code === 'VmMissing') await held.lost();
    throw thrown;
  });
};

interface StartRun extends MakeVm {
  readonly making: JournalEntry;
  readonly container: Container;
  /** The clone and its shares. */
  readonly make: () => Promise<void>;
}

/** Whether the Mac can run one more is looked at while the VM is made; it is decided when that is done. */
const start = async (ports: PodPorts, request: StartRun): Promise<VmRun> => {
  const { pod, making, signal } = request;
  const { vms, journal, runLogs, settings } = ports;
  const { vm } = making;
  const logPath = logPathOf(settings, vm);
  const shares = ports.shares.of(vm);
  const graphics = pod.metadata.labels?.[LABELS.runner] === 'true' ? 'vnc' : 'none';
  // Said while it is made: a run that was announced and left no trace never was.
  const beforeRun = async (): Promise<void> => {
    const logFromByte = await runLogs.sizeOf(logPath);
    await both(journal.put({ ...making, stage: 'started', logFromByte }), request.make());
    await configure(ports, request);
    noteStart(ports, pod);
  };
  try {
    return await vms.start({ vm, shares, graphics, logPath, beforeRun, signal });
  } catch (thrown) {
    const run = await survivingRun(ports, vm, toFleetError(thrown));
    if (run !== undefined) return run;
    await journal.put(making);
    throw thrown;
  }
};

const noteStart = ({ clock, metrics }: PodPorts, pod: Pod): void => {
  const createdMs = parseTimestamp(pod.metadata.creationTimestamp);
  if (createdMs !== undefined) metrics.provisioned(poolOf(pod), Math.max(0, clock.now() - createdMs) / 1_000);
};

/** A clone with its base's serial number still works, mostly: that is a warning. A size that cannot be is an error. */
const configure = async ({ vms, events }: PodPorts, { pod, making, container, signal }: StartRun): Promise<void> => {
  const { vm } = making;
  const { serialKept } = await vms.configure({ vm, ...sizeVm(container), randomSerial: true, signal });
  if (serialKept === undefined) return;
  events.publish(PODS, pod, [{ type: 'Warning', reason: 'IdentityRegenSkipped', message: serialKept.message }]);
};

/** A start that failed although something ran: the VM was running already, or its guest was done before we looked. */
const survivingRun = async ({ vms, shares }: PodPorts, vm: string, error: FleetError): Promise<VmRun | undefined> => {
  const didRun =
    error.code === 'VmAlreadyRuns' ||
    (error.code === 'VmExitedImmediately' && (await shares.readReport(vm)) !== undefined);
  return didRun ? vms.adopt(vm, neverAborted()) : undefined;
};
