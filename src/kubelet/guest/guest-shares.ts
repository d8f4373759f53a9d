/**
 * The two folders that a VM shares with this Mac: `env`, which it reads (environment, tokens, command), and `status`,
 * where it leaves its exit code and its log. The guest is not trusted: what it leaves is read bounded, and never through a link.
 */
import type { Clock } from '../../base/clock.ts';
import type { Secret } from '../../base/secret.ts';
import type { HostFiles } from '../host/host-files.ts';
import { type GuestReport, parseGuestCode } from '../pods/decide-outcome.ts';
import { untilFound } from '../vm/until-found.ts';
import type { VmShare } from '../vm/vm-port.ts';
import { renderEnvFile, renderEnvJson } from './env-file.ts';
import { COMMAND_FILE } from './guest-command.ts';

export interface GuestToken {
  /** Relative to the env share. */
  readonly path: string;
  readonly token: Secret<string>;
}

export interface StageGuest {
  readonly vm: string;
  readonly env: ReadonlyMap<string, string>;
  readonly tokens: readonly GuestToken[];
  /** The text of the container's command, if it has one. */
  readonly command?: string;
}

export interface ReportWait {
  readonly onTrouble: (thrown: unknown) => void;
  readonly signal: AbortSignal;
}

export interface GuestShares {
  /** What a VM shares with its Mac. */
  of(vm: string): readonly VmShare[];
  /** Makes both folders anew: nothing of an earlier run is in them. */
  stage(guest: StageGuest): Promise<void>;
  /** Puts newer tokens where the old ones are. */
  renewTokens(vm: string, tokens: readonly GuestToken[]): Promise<void>;
  /** The exit code that the guest left; undefined when it left none that counts. */
  readReport(vm: string): Promise<GuestReport | undefined>;
  /** Which of its starts the guest was in when this was first asked; that is kept with its files. */
  firstBoot(vm: string, now: string): Promise<string>;
  /** Whether the guest has begun with the container's command. */
  isLaunched(vm: string): Promise<boolean>;
  /** Waits for the exit code that the guest leaves; undefined only after an abort. What cannot be read is told, and read again. */
  untilReported(vm: string, wait: ReportWait): Promise<GuestReport | undefined>;
  /** The last lines of the log that the guest left. */
  readLog(vm: string): Promise<readonly string[]>;
  remove(vm: string): Promise<void>;
}

/** How much of the guest's log is kept. */
const LOG_BYTES_MAX = 65_536;
const LOG_LINES_MAX = 200;
const REPORT_BYTES_MAX = 16;
/** A report that nobody told of is found so much later. */
const LOOK_EVERY_MS = 1_000;
/** The launcher makes it (guest-command.ts), so that nothing is started twice. */
const LAUNCHED = 'launched';
/** No VM outlives a loss of power, and every run gets its files anew. */
const BRIEF = { survives: 'death' } as const;

export const createGuestShares = (
  { files, clock }: { readonly files: HostFiles; readonly clock: Clock },
  directory: string,
): GuestShares => {
  const folderOf = (vm: string): string => `${directory}/${vm}`;
  const statusOf = (vm: string): string => `${folderOf(vm)}/status`;
  const writeToken = (vm: string, { path, token }: GuestToken): Promise<void> =>
    files.writeText(`${folderOf(vm)}/${path}`, token.reveal(), { ...BRIEF, mode: 0o600 });
  const readReport = (vm: string): Promise<GuestReport | undefined> => readCode(files, `${statusOf(vm)}/runner-rc`);

  return {
    of: (vm) => [
      { name: 'env', path: folderOf(vm), readOnly: true },
      { name: 'status', path: statusOf(vm), readOnly: false },
    ],
    stage: async ({ vm, env, tokens, command }) => {
      const folder = folderOf(vm);
      await files.remove(folder);
      await files.makeDirectory(folder, { mode: 0o700 });
      const parents = new Set(tokens.map(({ path }) => parentOf(path)).filter((path) => path !== ''));
      await Promise.all([
        files.makeDirectory(statusOf(vm), { mode: 0o777 }),
        ...[...parents].map((path) => files.makeDirectory(`${folder}/${path}`, { mode: 0o700 })),
      ]);
      await Promise.all([
        files.writeText(`${folder}/tuist.env`, renderEnvFile(env), { ...BRIEF, mode: 0o600 }),
        files.writeText(`${folder}/tuist.env.json`, renderEnvJson(env), { ...BRIEF, mode: 0o600 }),
        ...(command === undefined
          ? []
          : [files.writeText(`${folder}/${COMMAND_FILE}`, command, { ...BRIEF, mode: 0o700 })]),
        ...tokens.map((token) => writeToken(vm, token)),
      ]);
    },
    renewTokens: async (vm, tokens) => {
      for (const token of tokens) await writeToken(vm, token);
    },
    readReport,
    firstBoot: (vm, now) => keepFirst(files, `${folderOf(vm)}/boot-id`, now),
    isLaunched: async (vm) => (await files.look(`${statusOf(vm)}/${LAUNCHED}`)) !== undefined,
    untilReported: (vm, { onTrouble, signal }) =>
      untilFound({
        ...{ files, clock, folder: statusOf(vm), lookEveryMs: LOOK_EVERY_MS, signal },
        look: () =>
          readReport(vm).catch((thrown: unknown) => {
            onTrouble(thrown);
            return undefined;
          }),
      }),
    readLog: async (vm) => {
      const tail = await files.readTail(`${statusOf(vm)}/runner.log`, { bytesMax: LOG_BYTES_MAX });
      return tail === undefined ? [] : lastLines(tail.text, tail.isCut);
    },
    remove: (vm) => files.remove(folderOf(vm)),
  };
};

const readCode = async (files: HostFiles, path: string): Promise<GuestReport | undefined> => {
  const tail = await files.readTail(path, { bytesMax: REPORT_BYTES_MAX });
  if (tail === undefined || tail.isCut) return undefined;
  const code = parseGuestCode(tail.text);
  const info = code === undefined ? undefined : await files.look(path);
  return code === undefined || info === undefined ? undefined : { code, atMs: info.modifiedAtMs };
};

const keepFirst = async (files: HostFiles, path: string, now: string): Promise<string> => {
  const first = await files.readText(path);
  if (first === undefined) await files.writeText(path, now, { ...BRIEF, mode: 0o600 });
  return first ?? now;
};

const parentOf = (path: string): string => path.split('/').slice(0, -1).join('/');

/** Whole lines only: what was cut at the front is no line. */
const lastLines = (text: string, isCut: unknown): readonly string[] => {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return (isCut === true ? lines.slice(1) : lines).slice(-LOG_LINES_MAX);
};
