/** The commands launchctl and killall: launchd's jobs, and Apple's own services as far as hosts touch them. */
import { type CommandAnswer, type CommandCall, complain, type MacCommands, quiet, say } from './command.ts';
import type { Domain, JobView, Launchd, LaunchdAnswer } from './launchd.ts';
import type { LoginWindow } from './login-window.ts';

export interface SshService {
  /** Port 22 of the Mac accepts again. */
  restart(): void;
}

export interface LaunchctlDeps {
  readonly launchd: Launchd;
  readonly loginWindow: LoginWindow;
  readonly ssh: SshService;
}

const LOGINWINDOW = 'com.apple.loginwindow';
const SSHD = 'com.openssh.sshd';
const SSHD_PLIST = '/System/Library/LaunchDaemons/ssh.plist';
const GUI = 'gui/501';

export const createLaunchctl = (deps: LaunchctlDeps): MacCommands => ({
  launchctl: (call) => launchctl(deps, call),
  killall: (call) => killall(deps, call),
});

const launchctl = (deps: LaunchctlDeps, { args, uid }: CommandCall): CommandAnswer => {
  const [verb = '', ...rest] = args;
  if (verb === 'print') return print(deps, rest[0] ?? '');
  if (verb === 'list') return list(deps.launchd, rest[0]);
  if (verb === 'managername') return say(uid === 0 ? 'System' : 'Background');
  const target = rest.findLast((word) => !word.startsWith('-')) ?? '';
  const isGui = rest.some((word) => word.startsWith(GUI));
  if (uid !== 0 && !isGui) return complain(1, `${verb}: Operation not permitted: use sudo`);
  if (isGui && !deps.loginWindow.hasSession())
    return complain(125, `${verb} failed: 125: Domain does not support specified action`);
  if (verb === 'bootstrap') return bootstrap(deps, target, isGui ? 'gui' : 'system');
  if (verb === 'bootout') return bootout(deps, target);
  if (verb === 'kickstart') return kickstart(deps, target, rest.includes('-k') ? 'restart' : 'start');
  if (verb === 'enable' || verb === 'disable') return quiet;
  return complain(64, `launchctl: the simulated launchctl does not know ${verb}`);
};

const labelOf = (target: string): string =>
  target
    .split('/')
    .at(-1)
    ?.replace(/\.plist$/, '') ?? '';

const told = (what: string, answer: LaunchdAnswer): CommandAnswer =>
  answer === 'ok' ? quiet : complain(answer[0], `${what} failed: ${answer[0]}: ${answer[1]}`);

const bootstrap = ({ launchd, ssh }: LaunchctlDeps, path: string, domain: Domain): CommandAnswer => {
  if (path !== SSHD_PLIST) return told('Bootstrap', launchd.bootstrap(path, domain));
  ssh.restart();
  return quiet;
};

const bootout = ({ launchd }: LaunchctlDeps, target: string): CommandAnswer =>
  labelOf(target) === SSHD ? quiet : told('Boot-out', launchd.bootout(labelOf(target)));

const kickstart = (deps: LaunchctlDeps, target: string, mode: 'start' | 'restart'): CommandAnswer => {
  const label = labelOf(target);
  if (label === LOGINWINDOW) {
    if (mode === 'restart' || !deps.loginWindow.isAlive()) deps.loginWindow.start();
    return quiet;
  }
  if (label === SSHD) {
    deps.ssh.restart();
    return quiet;
  }
  const answer = deps.launchd.kickstart(label, mode);
  return answer === 'ok' ? quiet : complain(answer[0], answer[1]);
};

const NOT_FOUND = 113;

const print = ({ launchd, loginWindow }: LaunchctlDeps, target: string): CommandAnswer => {
  if (target === GUI) {
    if (!loginWindow.hasSession()) return complain(NOT_FOUND, 'Could not find domain for user gui: 501');
    return say('gui/501 = {', '\ttype = login', '\tsession = Aqua', '}');
  }
  if (target === 'system') return say('system = {', '\ttype = system', '}');
  const label = labelOf(target);
  if (label === LOGINWINDOW && loginWindow.isAlive())
    return say(`${target} = {`, '\tstate = running', '\tpid = 159', '}');
  if (label === SSHD) return say(`${target} = {`, '\tstate = waiting', '}');
  const job = launchd.job(label);
  if (job === undefined) return complain(NOT_FOUND, `Could not find service "${label}" in domain for system`);
  return say(...describe(target, job));
};

const STATE = { running: 'running', waiting: 'not running', leaving: 'SIGTERMed' } as const;

const describe = (target: string, { spec, state, pid, runs, lastEnd, isHeldBack }: JobView): readonly string[] => [
  `${target} = {`,
  `\tactive count = ${pid === undefined ? 0 : 1}`,
  `\tpath = ${spec.path}`,
  '\ttype = LaunchDaemon',
  `\tstate = ${STATE[state]}`,
  '',
  `\tprogram = ${spec.words[0]}`,
  '\targuments = {',
  ...spec.words.map((word) => `\t\t${word}`),
  '\t}',
  `\truns = ${runs}`,
  ...(pid === undefined ? [] : [`\tpid = ${pid}`]),
  ...lastExit(lastEnd),
  ...(isHeldBack ? ['\tjob state = held back by background task management'] : []),
  '}',
];

const lastExit = (end: JobView['lastEnd']): readonly string[] => {
  if (end === undefined) return ['\tlast exit code = (never exited)'];
  if (end.reason === 'exit') return [`\tlast exit code = ${end.code}`];
  const why = end.reason === 'signature' ? ['\tlast exit reason = OS_REASON_CODESIGNING | 0x8'] : [];
  return [`\tlast exit code = ${end.code}`, `\tlast terminating signal = ${end.code}`, ...why];
};

const list = (launchd: Launchd, label: string | undefined): CommandAnswer => {
  if (label === undefined) {
    const lines = launchd.jobs().map(({ spec, pid, lastEnd }) => `${pid ?? '-'}\t${lastEnd?.code ?? 0}\t${spec.label}`);
    return say('PID\tStatus\tLabel', ...lines);
  }
  const job = launchd.job(label);
  if (job === undefined) return complain(NOT_FOUND, `Could not find service "${label}" in domain for system`);
  const pid = job.pid === undefined ? [] : [`\t"PID" = ${job.pid};`];
  return say('{', `\t"Label" = "${label}";`, ...pid, '};');
};

/** A process that was sent SIGHUP is not brought back: launchd takes it for one that ended as it was told. */
const killall = ({ loginWindow, launchd }: LaunchctlDeps, { args, uid }: CommandCall): CommandAnswer => {
  const name = args.at(-1) ?? '';
  if (uid === 0 && name === 'loginwindow' && loginWindow.isAlive()) {
    loginWindow.stop();
    return quiet;
  }
  const found = launchd.jobs().filter(({ spec, pid }) => pid !== undefined && spec.words[0]?.endsWith(`/${name}`));
  if (uid !== 0 || found.length === 0) return complain(1, 'No matching processes belonging to you were found');
  for (const { spec } of found) launchd.kickstart(spec.label, 'restart');
  return quiet;
};
