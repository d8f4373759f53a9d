/**
 * A guest of real processes: bash runs its script in a folder that stands for its disk, and an agent on the control socket
 * runs what `tart exec` asks for. When the process that runs the VM dies, so does everything in here.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import {
  ENV_FILE,
  EXIT_CODE_FILE,
  type Guest,
  type GuestBoot,
  type GuestEnd,
  isShutdown,
  LOG_FILE,
  parseEnvFile,
  SCRIPT_VARIABLE,
} from '../guest.ts';
import { type AgentRequest, serveAgent } from './agent-socket.ts';
import { type GuestSessions, openGuestSessions } from './guest-sessions.ts';

export interface GuestProcessOptions {
  readonly clock: Clock;
  /** The VM's folder. */
  readonly folder: string;
  /** Where the guest's servers really listen. */
  readonly loopback: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const KILLED = 137;
const TERMINATED = 143;

export const bootProcessGuest = (options: GuestProcessOptions, boot: GuestBoot): Guest => {
  const { clock, folder } = options;
  const disk = join(folder, 'disk');
  mkdirSync(disk, { recursive: true });
  // Nothing of the Mac's own environment gets into a guest but where its programs are.
  const env: Readonly<Record<string, string | undefined>> = {
    PATH: options.env['PATH'],
    ...guestEnv(options, boot, disk),
  };
  const sessions = openGuestSessions(join(folder, 'sessions'));
  const { promise: ended, resolve: end } = Promise.withResolvers<GuestEnd>();
  let hasBooted = false;
  let main: ChildProcess | undefined;
  const shutDown = (): void => {
    if (main === undefined) end({ how: 'shutdown' });
    else signalGroup(main, 'SIGTERM');
  };
  const agent = serveAgent(folder, (request) => {
    if (!hasBooted || boot.faults.agentSilent === true) return request.refuse();
    if (isShutdown(request.argv)) {
      request.finish(0);
      return shutDown();
    }
    return execute(request, { disk, env, sessions, boot });
  });
  const runScript = (): void => {
    hasBooted = true;
    boot.onNetwork();
    const script = env[SCRIPT_VARIABLE] ?? boot.plan.script;
    if (script === undefined) return;
    main = spawn('bash', ['-c', script], { cwd: disk, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    sessions.add(main.pid);
    followScript(main, { boot, folder, sessions, end });
  };
  const cancelBoot = clock.schedule(boot.plan.bootMs, runScript);
  const { panicAfterMs } = boot.faults;
  const panic = (): void => end({ how: 'error', why: 'Internal Virtualization error.' });
  const cancelPanic = panicAfterMs === undefined ? () => undefined : clock.schedule(panicAfterMs, panic);
  return {
    ended,
    powerOff: () => {
      cancelBoot();
      cancelPanic();
      main?.removeAllListeners('close');
      sessions.killAll();
      agent.close();
      end({ how: 'power-off' });
    },
  };
};

interface Following {
  readonly boot: GuestBoot;
  readonly folder: string;
  readonly sessions: GuestSessions;
  readonly end: (end: GuestEnd) => void;
}

/** Its output is the guest's log, its end the guest's. */
const followScript = (main: ChildProcess, { boot, folder, sessions, end }: Following): void => {
  const log = join(shareOf(boot, 'status') ?? folder, LOG_FILE);
  for (const stream of [main.stdout, main.stderr]) stream?.on('data', (chunk) => appendFileSync(log, chunk));
  // What it left behind goes with the guest, and must not hold its log open.
  main.once('exit', sessions.killAll);
  main.once('close', (code, signal) => {
    reportExit(boot, code ?? (signal === 'SIGKILL' ? KILLED : TERMINATED));
    end({ how: 'shutdown' });
  });
};

const guestEnv = (
  { folder, loopback }: GuestProcessOptions,
  { vm, shares, address }: GuestBoot,
  disk: string,
): Readonly<Record<string, string>> => {
  const volumes = join(folder, 'shares');
  rmSync(volumes, { recursive: true, force: true });
  mkdirSync(volumes);
  for (const share of shares) symlinkSync(share.path, join(volumes, share.name));
  const envPath = join(volumes, 'env', ENV_FILE);
  const injected = existsSync(envPath) ? parseEnvFile(readFileSync(envPath, 'utf8')) : {};
  return { ...injected, HOME: disk, SHARES: volumes, GUEST_NAME: vm, GUEST_ADDRESS: address, GUEST_LISTEN: loopback };
};

const shareOf = ({ shares }: GuestBoot, wanted: string): string | undefined =>
  shares.find(({ name }) => name === wanted)?.path;

/** By the guest contract: only where the share is there. */
const reportExit = (boot: GuestBoot, code: number): void => {
  const status = shareOf(boot, 'status');
  if (status !== undefined && existsSync(status)) writeFileSync(join(status, EXIT_CODE_FILE), `${code}\n`);
};

const signalGroup = ({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void => {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It is gone already.
  }
};

interface Inside {
  readonly disk: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sessions: GuestSessions;
  readonly boot: GuestBoot;
}

const execute = (request: AgentRequest, { disk, env, sessions, boot }: Inside): void => {
  const answer = request.answersItself(boot.faults);
  if (answer !== undefined) {
    request.out(answer);
    request.finish(0);
    return;
  }
  const [program = '', ...words] = request.argv;
  const child = spawn(program, words, { cwd: disk, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  sessions.add(child.pid);
  child.stdout.on('data', (chunk) => request.out(String(chunk)));
  child.stderr.on('data', (chunk) => request.err(String(chunk)));
  child.once('error', (error) => {
    request.err(`${error.message}\n`);
    request.finish(127);
  });
  child.once('close', (code, signal) => {
    request.finish(code ?? (signal === 'SIGKILL' ? KILLED : TERMINATED));
  });
  request.onGone(() => signalGroup(child, 'SIGKILL'));
};
