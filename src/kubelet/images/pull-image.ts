/** One pull, with everything that may go wrong on the way: a full disk, a silent registry, a login, a wrong answer. */
import { linkedController } from '../../base/abort.ts';
import { type BackoffPolicy, backoffDelayMs } from '../../base/backoff.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { FleetError, isKind } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { TART_LIMITS_MS, type TartCli } from '../vm/tart-cli.ts';
import type { DiskRoom } from './disk-room.ts';
import { parseImageReference } from './image-name.ts';
import type { RegistryCredentials } from './image-port.ts';
import { parsePullLine } from './pull-output.ts';

export interface PullPorts {
  readonly cli: TartCli;
  readonly clock: Clock;
  readonly random: Random;
  readonly room: DiskRoom;
}

export interface PullRequest {
  readonly image: string;
  readonly credentials: readonly RegistryCredentials[];
  readonly onProgress: (percent: number) => void;
  readonly signal: AbortSignal;
}

const TRIES = 3;
const BETWEEN_TRIES: BackoffPolicy = { initialMs: 4_000, factor: 3, maxMs: 60_000, minMs: 1_000 };
/** Tart prints at least a line for every per cent; silence of so long is a registry that does not answer. */
const SILENCE_MS = 5 * 60_000;

/** Pulls until it is here, or until another try would not help. */
export const pullImage = async (ports: PullPorts, request: PullRequest): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await pullByAnyLogin(ports, request);
    } catch (thrown) {
      const mayHelp = isKind(thrown, 'unavailable', 'throttled') && !isOurs(thrown);
      if (!mayHelp || attempt >= TRIES || request.signal.aborted) throw thrown;
      await sleep(ports.clock, backoffDelayMs(BETWEEN_TRIES, attempt, ports.random), request.signal);
    }
  }
};

/** What is wrong on the Mac itself does not get better by asking the registry again. */
const isOurs = (thrown: unknown): boolean =>
  thrown instanceof FleetError && ['TartMissing', 'TartHangs'].includes(thrown.code);

/** As kubelets do: of several logins for one registry, each until one is let in. Some registries do not know what one may not see. */
const pullByAnyLogin = async (ports: PullPorts, request: PullRequest): Promise<void> => {
  const [first = NOBODY, ...others] = loginsFor(request);
  let refusal = await pullUnlessRefused(ports, request, first);
  for (const login of others) {
    if (refusal === undefined) return;
    refusal = await pullUnlessRefused(ports, request, login);
  }
  if (refusal !== undefined) throw refusal;
};

const pullUnlessRefused = async (ports: PullPorts, request: PullRequest, login: Login): Promise<unknown> => {
  try {
    await pullOnce(ports, request, login);
    return undefined;
  } catch (thrown) {
    if (isKind(thrown, 'denied', 'not-found') && !isOurs(thrown)) return thrown;
    throw thrown;
  }
};

const pullOnce = async (ports: PullPorts, request: PullRequest, login: Login): Promise<void> => {
  const { cli, clock, room } = ports;
  const { image, onProgress, signal } = request;
  const { pullName } = parseImageReference(image);
  const pull = linkedController(signal);
  let cancelSilence = (): void => undefined;
  const listenOn = (): void => {
    cancelSilence();
    cancelSilence = clock.schedule(SILENCE_MS, () => pull.abort(stalled(image)));
  };
  const reservation = room.reserve((error) => pull.abort(error));
  listenOn();
  try {
    await cli.ask({
      ...{ doing: 'tart pull', words: ['pull', pullName], timeoutMs: TART_LIMITS_MS.pull, signal: pull.signal },
      env: { ...login, CI: '1', TART_NO_AUTO_PRUNE: '1' },
      onLine: (line) => {
        listenOn();
        const { percent, compressedBytes } = parsePullLine(line);
        if (compressedBytes !== undefined) reservation.need(image, compressedBytes);
        if (percent !== undefined) onProgress(percent);
      },
    });
  } catch (thrown) {
    throw asPullError(image, thrown);
  } finally {
    cancelSilence();
    reservation.release();
    pull.release();
  }
};

/** A plain failure of Tart is one of the pull; what has a meaning of its own keeps it. */
const asPullError = (image: string, thrown: unknown): unknown => {
  if (!(thrown instanceof FleetError) || thrown.code !== 'TartFailed') return thrown;
  const { message, details } = thrown;
  return new FleetError('unavailable', {
    code: 'ImagePullFailed',
    message: `${image}: ${message}`,
    details,
    cause: thrown,
  });
};

const stalled = (image: string): FleetError =>
  new FleetError('unavailable', {
    code: 'ImagePullStalled',
    message: `tart pull: nothing came of ${image} for ${SILENCE_MS / 60_000} minutes`,
    hint: 'Check the network between the Mac and the registry.',
  });

/** As variables for Tart. */
type Login = Readonly<Record<string, string>>;

const NOBODY: Login = {};

const loginsFor = ({ image, credentials }: PullRequest): readonly Login[] => {
  const { host } = parseImageReference(image);
  return credentials
    .filter((candidate) => candidate.host === host)
    .map(({ username, password }) => ({
      TART_REGISTRY_HOSTNAME: host,
      TART_REGISTRY_USERNAME: username,
      TART_REGISTRY_PASSWORD: password.reveal(),
    }));
};
