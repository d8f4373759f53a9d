/**
 * What is on disk about a VM's run: its pid, its end, its screen. Written by whoever runs it (recorded-run.ts), so that no
 * death of ours loses an exit code.
 */
import type { HostFiles } from '../host/host-files.ts';
import type { VmExit, VncEndpoint } from './vm-port.ts';

export interface RecordedStart {
  readonly pid: number;
  readonly startedAtMs: number;
}

export const readStart = async (files: HostFiles, folder: string): Promise<RecordedStart | undefined> => {
  const path = `${folder}/pid`;
  const pid = parseWhole(await files.readText(path));
  const info = await files.look(path);
  return pid === undefined || info === undefined ? undefined : { pid, startedAtMs: info.modifiedAtMs };
};

export const readExit = async (files: HostFiles, folder: string): Promise<VmExit | undefined> => {
  const path = `${folder}/exit`;
  const code = parseWhole(await files.readText(path));
  const info = await files.look(path);
  return code === undefined || info === undefined ? undefined : toExit(code, info.modifiedAtMs);
};

export const readVnc = async (files: HostFiles, folder: string): Promise<VncEndpoint | undefined> =>
  parseVncAddress(await files.readText(`${folder}/vnc`));

const SIGNAL_NAMES: Readonly<Record<number, string>> = {
  ...{ 1: 'SIGHUP', 2: 'SIGINT', 3: 'SIGQUIT', 4: 'SIGILL', 6: 'SIGABRT', 8: 'SIGFPE', 9: 'SIGKILL' },
  ...{ 10: 'SIGBUS', 11: 'SIGSEGV', 13: 'SIGPIPE', 14: 'SIGALRM', 15: 'SIGTERM' },
};
const BY_SIGNAL = 128;

/** A shell tells the end by a signal as a code past 128; Tart's own codes are all smaller. */
export const toExit = (code: number, atMs: number): VmExit => {
  if (code <= BY_SIGNAL) return { code, atMs };
  const signal = code - BY_SIGNAL;
  return { signal: SIGNAL_NAMES[signal] ?? `signal ${signal}`, atMs };
};

/** Whole with its line break: before that somebody is about to write it. */
const parseWhole = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+\n$/.test(text) ? Number(text) : undefined;

/** What follows `vnc://`. Without a password it is not one that we may open to anybody. */
export const parseVncAddress = (text: string | undefined): VncEndpoint | undefined => {
  const [, password, host, port] =
    /^[^:@\s]*:([^@\s]+)@([^\s:]+|\[[^\]\s]+\]):(\d+)[.,)]*(?:\s|$)/.exec(text ?? '') ?? [];
  if (password === undefined || host === undefined || port === undefined) return undefined;
  return { host, port: Number(port), password };
};
