/** `run`: a VM from its start to its end, in the foreground. */
import { sleep } from '../../../base/clock.ts';
import { parseWords, type Words } from '../arguments.ts';
import type { Guest, GuestEnd, GuestShare } from '../guest.ts';
import type { TartContext } from '../tart-context.ts';
import { alreadyRunning, foreignError, runtimeError, TartFailure } from '../tart-failure.ts';
import { runningVms, type SimVm } from '../tart-home.ts';
import { type RunEnd as RunEndFault, vmFaultsOf } from '../tart-settings.ts';
import { randomMac } from '../vm-identity.ts';
import { openVm } from './show.ts';

const GRAMMAR = {
  command: 'run',
  positionals: ['name'],
  flags: [
    ...['--no-graphics', '--graphics', '--serial', '--no-audio', '--no-clipboard', '--recovery', '--vnc'],
    ...['--vnc-experimental', '--nested', '--net-softnet', '--net-host', '--suspendable', '--capture-system-keys'],
    ...['--no-trackpad', '--no-pointer', '--no-keyboard'],
  ],
  options: [
    ...['--serial-path', '--disk', '--rosetta', '--dir', '--net-bridged', '--net-softnet-allow'],
    ...['--net-softnet-block', '--net-softnet-expose', '--root-disk-opts'],
  ],
};

const EXCLUSIVE: readonly (readonly string[])[] = [
  ['--vnc', '--vnc-experimental'],
  ['--graphics', '--no-graphics'],
  ['--net-bridged', '--net-softnet', '--net-host'],
];

export const run = async (context: TartContext, argv: readonly string[]): Promise<number> => {
  const words = parseWords(GRAMMAR, argv);
  const [name = ''] = words.positionals;
  const vm = validate(context, words, name);
  const settings = context.home.settings();
  if (vm.os === 'darwin' && settings.noGuiSession) throw noHostKey();
  if (vm.os === 'darwin' && settings.isKeychainClosed) throw didNotStart();
  const macAddress = freeMac(context, name, vm);
  const living = { ...vm, isSuspended: false, macAddress, address: '' };
  context.home.hold(name, context.pid, (running) => {
    checkLimit(context, { name, vm, running });
    living.address = addressFor(context, macAddress, running);
    context.home.putVm(name, living);
  });
  try {
    return await live(context, words, { name, vm: living });
  } finally {
    context.home.letGo(name);
  }
};

/** What is thrown while the words are checked gets the prefix and code 1, also the missing VM. */
const validate = (context: TartContext, words: Words, name: string): SimVm => {
  for (const names of EXCLUSIVE) {
    const given = names.filter((option) => words.has(option));
    if (given.length > 1) throw words.refuse(`${joinNames(names)} are mutually exclusive`);
  }
  try {
    const vm = openVm(context, name);
    if (words.has('--nested') && vm.os === 'darwin') {
      throw runtimeError('macOS virtual machines do not support nested virtualization');
    }
    return vm;
  } catch (thrown) {
    throw thrown instanceof TartFailure && thrown.exitCode === 2 ? foreignError(thrown.text) : thrown;
  }
};

const joinNames = (names: readonly string[]): string => `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

const noHostKey = (): Error =>
  runtimeError(
    'Error Domain=VZErrorDomain Code=-9 "The virtual machine encountered a security error." UserInfo={NSLocalizedFailure=A security error occurred., NSLocalizedFailureReason=Failed to create new HostKey.}',
  );

const didNotStart = (): Error =>
  runtimeError(
    'Error Domain=VZErrorDomain Code=1 "The virtual machine failed to start." UserInfo={NSLocalizedFailure=Internal Virtualization error., NSLocalizedFailureReason=The virtual machine failed to start.}',
  );

const freeMac = (context: TartContext, name: string, vm: SimVm): string => {
  const { home, out, random } = context;
  const isTaken = runningVms(home).some((other) => other !== name && home.vm(other)?.macAddress === vm.macAddress);
  if (!isTaken) return vm.macAddress;
  out('There is already a running VM with the same MAC address!');
  out('Resetting VM to assign a new MAC address...');
  return randomMac(random);
};

interface Candidate {
  readonly name: string;
  readonly vm: SimVm;
  readonly running: readonly string[];
}

const checkLimit = ({ home }: TartContext, { name, vm, running }: Candidate): void => {
  if (running.includes(name)) throw alreadyRunning(name);
  if (vm.os !== 'darwin') return;
  const { vmsMax, leakedSlots } = home.settings();
  const others = running.filter((other) => home.vm(other)?.os === 'darwin');
  if (others.length + leakedSlots < vmsMax) return;
  const hint = others.length === 0 ? '' : ` (other running VMs: ${others.join(', ')})`;
  throw runtimeError(`The number of VMs exceeds the system limit${hint}`);
};

interface Living {
  readonly name: string;
  readonly vm: SimVm & { readonly address: string };
}

const live = async (context: TartContext, words: Words, { name, vm }: Living): Promise<number> => {
  const { home, out } = context;
  const faults = vmFaultsOf(home.settings(), name);
  if (faults.startFails !== undefined) return failToStart(context, faults.startFails);
  const { address } = vm;
  const guest = context.boot({
    ...{ vm: name, plan: vm.guest, faults, address },
    shares: words.options('--dir').map(parseShare),
    onNetwork: () => {
      if (faults.noAddress !== true) home.putLease({ macAddress: vm.macAddress, address });
    },
  });
  if (words.has('--vnc-experimental')) announceVnc(context, words);
  const stopped = listen(context, guest, { words, ignoresStop: faults.ignoresStop === true });
  const forced = faultyEnd(context, faults.runEnd);
  const end = await Promise.race([guest.ended, stopped, ...(forced === undefined ? [] : [forced])]);
  guest.powerOff();
  if ('code' in end) return end.code;
  if (end.how === 'suspended') home.putVm(name, { ...vm, isSuspended: true });
  for (const line of lastWords(end)) out(line);
  return 0;
};

type RunEnd = GuestEnd | { readonly how: 'suspended' } | { readonly how: 'stopped' };

const lastWords = (end: RunEnd): readonly string[] => {
  switch (end.how) {
    case 'shutdown':
      return ['guest has stopped the virtual machine'];
    case 'error':
      return [`guest has stopped the virtual machine due to error: ${end.why}`];
    case 'suspended':
      return ['snapshot created successfully! shutting down the VM...'];
    case 'stopped':
    case 'power-off':
      return [];
  }
};

const announceVnc = ({ out, env, random }: TartContext, words: Words): void => {
  const password = Array.from({ length: 4 }, () => `w${random.integer(10_000)}`).join('-');
  const url = `vnc://:${password}@127.0.0.1:${50_000 + random.integer(10_000)}`;
  const isPrinted = words.has('--no-graphics') || env['CI'] !== undefined;
  out(isPrinted ? `VNC server is running at ${url}` : `Opening ${url}...`);
};

interface Listening {
  readonly words: Words;
  readonly ignoresStop: boolean;
}

const listen = (context: TartContext, guest: Guest, { words, ignoresStop }: Listening): Promise<RunEnd | Code> =>
  new Promise((resolve) => {
    context.onSignal((signal) => {
      if (signal === 'SIGUSR2') return context.out('Requesting guest OS to stop...');
      if (signal === 'SIGINT') {
        if (ignoresStop) return undefined;
        context.out('Stopping VM...');
        guest.powerOff();
        return resolve({ how: 'stopped' });
      }
      if (words.has('--suspendable')) {
        context.out('pausing VM to take a snapshot...');
        context.out('creating a snapshot...');
        return resolve({ how: 'suspended' });
      }
      context.out('Failed to suspend the VM: it was not started with --suspendable');
      return resolve({ code: 1 });
    });
  });

interface Code {
  readonly code: number;
}

/** Before the VM has started, and so before anybody could reach it. */
const failToStart = async (context: TartContext, { afterMs, code = 1, signal }: RunEndFault): Promise<number> => {
  await sleep(context.clock, afterMs, context.signal);
  if (signal !== undefined) return context.dieOf(signal);
  if (code !== 0) context.err('Error Domain=VZErrorDomain Code=1 "The virtual machine failed to start."');
  return code;
};

const faultyEnd = ({ clock, dieOf }: TartContext, fault: RunEndFault | undefined): Promise<Code> | undefined => {
  if (fault === undefined) return undefined;
  const { afterMs, code = 0, signal } = fault;
  return new Promise((resolve, reject) => {
    clock.schedule(afterMs, () => {
      if (signal === undefined) resolve({ code });
      else dieOf(signal).catch(reject);
    });
  });
};

/** A lease that the MAC address still has, or the next free address. */
const addressFor = ({ home }: TartContext, macAddress: string, running: readonly string[]): string => {
  const leases = home.leases();
  const held = running.map((other) => home.vm(other)?.address);
  const found = leases.find((lease) => lease.macAddress === macAddress);
  if (found !== undefined && !held.includes(found.address)) return found.address;
  const { subnet } = home.settings();
  const taken = new Set([...leases.map(({ address }) => address), ...held]);
  const free = Array.from({ length: 253 }, (_, at) => `${subnet}.${at + 2}`).find((address) => !taken.has(address));
  return free ?? `${subnet}.254`;
};

/** `[name:]path[:ro,tag=T]` */
const parseShare = (text: string): GuestShare => {
  const parts = text.split(':');
  const options = parts.length > 1 && /^(ro|tag=[^,]+)(,|$)/.test(parts.at(-1) ?? '') ? (parts.pop() ?? '') : '';
  const name = parts.length > 1 ? (parts.shift() ?? '') : '';
  return { name, path: parts.join(':'), isReadOnly: options.split(',').includes('ro') };
};
