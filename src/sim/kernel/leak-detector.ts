/**
 * Adapter to node:async_hooks: notices real I/O and real timers that start while a simulation runs. Node tells
 * about every new asynchronous resource; promises are left out, so the price is small.
 *
 * Ignored: promises, ticks and microtasks (the kernel drains them); writes to streams that are open already, such
 * as the log of the test runner; synchronous node:crypto and zlib, which only compute. Keys and signatures made there
 * differ from run to run, so nothing may be named after them. Random bytes are reported however they are drawn.
 */
import { createHook } from 'node:async_hooks';
import { FleetError } from '../../base/errors.ts';

export interface LeakDetector {
  /** The first leak, once it is certain. */
  found(): FleetError | undefined;
  /** For the kernel's own macrotasks. */
  exempt(run: () => void): void;
  stop(): void;
}

interface Suspect {
  readonly type: string;
  readonly resource: object;
  /** Not yet as text, which costs more than most jobs that are looked at. */
  readonly frames: readonly NodeJS.CallSite[];
}

const REAL_RESOURCES = new Set(
  `Timeout Immediate FSREQCALLBACK FSREQPROMISE FSEVENTWRAP STATWATCHER FILEHANDLE FILEHANDLECLOSEREQ BLOBREADER
   GETADDRINFOREQWRAP GETNAMEINFOREQWRAP QUERYWRAP DNSCHANNEL TCPWRAP TCPSERVERWRAP TCPCONNECTWRAP TLSWRAP PIPEWRAP
   PIPESERVERWRAP PIPECONNECTWRAP TTYWRAP UDPWRAP UDPSENDWRAP HTTP2SESSION HTTPCLIENTREQUEST HTTPINCOMINGMESSAGE
   QUIC_ENDPOINT PROCESSWRAP SIGNALWRAP WORKER MESSAGEPORT ZLIB`.split(/\s+/),
);
const CRYPTO_JOB = /REQUEST$/;

const FRAMES = 40;
/** Enough to see through Node's own; most such jobs only compute, and are looked at all the same. */
const CRYPTO_FRAMES = 12;

/** The test runner's own timers and files, and the first touch of a standard stream. */
const NOT_SIMULATED = /node:internal\/test_runner|getStdout|getStderr|getStdin/;

export const startLeakDetector = (allowedTypes: readonly string[]): LeakDetector => {
  const suspects: Suspect[] = [];
  let exempted = false;
  const hook = createHook({
    trackPromises: false,
    init: (_id, type, _trigger, resource) => {
      if (exempted || !(REAL_RESOURCES.has(type) || CRYPTO_JOB.test(type)) || allowedTypes.includes(type)) return;
      suspects.push({ type, resource, frames: framesOfCaller(CRYPTO_JOB.test(type) ? CRYPTO_FRAMES : FRAMES) });
    },
  });
  hook.enable();
  return {
    found: () => {
      if (suspects.length === 0) return undefined;
      const culprit = suspects.find(isReal);
      suspects.length = 0;
      return culprit && toError(culprit);
    },
    exempt: (run) => {
      exempted = true;
      run();
      exempted = false;
    },
    stop: () => {
      hook.disable();
    },
  };
};

const framesOfCaller = (most: number): readonly NodeJS.CallSite[] => {
  const { stackTraceLimit, prepareStackTrace } = Error;
  let frames: readonly NodeJS.CallSite[] = [];
  Error.stackTraceLimit = most;
  Error.prepareStackTrace = (_error, sites) => {
    frames = sites;
    return '';
  };
  const { stack: _read } = new Error('created here');
  Error.stackTraceLimit = stackTraceLimit;
  Error.prepareStackTrace = prepareStackTrace;
  return frames;
};

const render = (frames: readonly NodeJS.CallSite[]): string => frames.map((frame) => `    at ${frame}`).join('\n');

/** An asynchronous crypto job gets its callback (`ondone`) only after it was created, hence the second look. */
const isReal = ({ type, resource, frames }: Suspect): boolean => {
  const isJob = CRYPTO_JOB.test(type) && type !== 'RANDOMBYTESREQUEST';
  if (isJob && !Reflect.has(resource, 'ondone') && !frames.some(isWebCrypto)) return false;
  const stack = render(frames);
  if (NOT_SIMULATED.test(stack)) return false;
  return type !== 'ZLIB' || !/\bsyncBufferWrapper|Sync\]? \(node:zlib/.test(stack);
};

const isWebCrypto = (frame: NodeJS.CallSite): boolean =>
  frame.getFileName()?.startsWith('node:internal/crypto/webcrypto') === true;

const toError = ({ type, frames }: Suspect): FleetError => {
  const stack = render(frames);
  return new FleetError('bug', {
    code: 'SimulationLeak',
    message: `real I/O inside the simulation: ${type}, created by ${culpritFrame(stack)}`,
    hint: 'Reach it through an injected port, or allow this resource type for the run.',
    details: { type, stack },
  });
};

/** The innermost frame that is neither Node's nor this file's. */
const culpritFrame = (stack: string): string =>
  stack
    .split('\n')
    .map((line) => line.trim().replace(/^at /, ''))
    .find((frame) => !/node:|leak-detector|\(<anonymous>\)/.test(frame)) ?? 'Node itself';
