/** `create`, `push`, `prune`, `login` and `logout`: what builders and people use. */
import { parseWords } from '../arguments.ts';
import { parseImageName, renderImageName } from '../image-name.ts';
import type { TartContext } from '../tart-context.ts';
import { runtimeError } from '../tart-failure.ts';
import type { SimVm, TartHome } from '../tart-home.ts';
import { randomEcid, randomMac } from '../vm-identity.ts';
import { openVm } from './show.ts';

const DAY_MS = 86_400_000;

export const create = (context: TartContext, argv: readonly string[]): number => {
  const grammar = {
    command: 'create',
    positionals: ['name'],
    flags: ['--linux'],
    options: ['--from-ipsw', '--disk-size', '--disk-format'],
  };
  const words = parseWords(grammar, argv);
  const [name = ''] = words.positionals;
  const ipsw = words.option('--from-ipsw');
  if (ipsw === undefined && !words.has('--linux')) {
    throw words.refuse('Please specify either a --from-ipsw or --linux option!');
  }
  if (ipsw === 'latest') context.out('Looking up the latest supported IPSW...');
  if (ipsw !== undefined) context.out('Installing OS...\n100%');
  const diskGb = Number(words.option('--disk-size') ?? 50);
  context.home.copyVm('', name, freshVm(context, ipsw === undefined ? 'linux' : 'darwin', diskGb));
  return 0;
};

const freshVm = ({ clock, random }: TartContext, os: SimVm['os'], diskGb: number): SimVm => ({
  ...{ os, cpus: 4, cpusMin: 2, memoryMib: 4_096, memoryMinMib: os === 'darwin' ? 4_096 : 512 },
  ...{ macAddress: randomMac(random), ecid: randomEcid(random), diskGb, sizeGb: 1 },
  ...{ accessedMs: clock.now(), isSuspended: false, guest: { bootMs: 200 } },
});

export const push = (context: TartContext, argv: readonly string[]): number => {
  const grammar = {
    command: 'push',
    positionals: ['local-name', 'remote-names'],
    takesRest: true,
    flags: ['--insecure', '--populate-cache'],
    options: ['--concurrency', '--chunk-size', '--label'],
  };
  const [name = '', ...remotes] = parseWords(grammar, argv).positionals;
  openVm(context, name);
  if (context.home.holderOf(name) !== undefined) throw runtimeError(`VM "${name}" is running`);
  for (const remote of remotes.map((text) => renderImageName(parseImageName(text)))) {
    const steps = ['pushing config...', 'pushing disk... this will take a while...', '0%', '100%', 'pushing NVRAM...'];
    for (const line of [`pushing ${name} to ${remote}...`, ...steps, `pushing manifest for ${remote}...`]) {
      context.out(line);
    }
  }
  return 0;
};

export const prune = (context: TartContext, argv: readonly string[]): number => {
  const words = parseWords(
    { command: 'prune', positionals: [], options: ['--entries', '--older-than', '--space-budget'] },
    argv,
  );
  const entries = words.option('--entries') ?? 'caches';
  const olderThan = words.option('--older-than');
  const budget = words.option('--space-budget');
  if (entries !== 'caches' && entries !== 'vms') {
    throw words.refuse('unsupported --entries value, please specify either "caches" or "vms"');
  }
  if (olderThan === undefined && budget === undefined) {
    throw words.refuse('at least one pruning criteria must be specified');
  }
  const latestFirst = prunable(context.home, entries).toSorted((left, right) => right.accessedMs - left.accessedMs);
  let leftGb = budget === undefined ? Number.POSITIVE_INFINITY : Number(budget);
  for (const entry of latestFirst) {
    const isOld = olderThan !== undefined && entry.accessedMs < context.clock.now() - Number(olderThan) * DAY_MS;
    if (isOld || entry.sizeGb > leftGb) entry.drop();
    else leftGb -= entry.sizeGb;
  }
  return 0;
};

interface Prunable extends Pick<SimVm, 'accessedMs' | 'sizeGb'> {
  readonly drop: () => void;
}

/** Of VMs only those that run are safe. */
const prunable = (home: TartHome, entries: 'caches' | 'vms'): readonly Prunable[] => {
  if (entries === 'caches') return home.cached().map((image) => ({ ...image.vm, drop: () => home.dropCached(image) }));
  return home.vmNames().flatMap((name) => {
    const vm = home.vm(name);
    if (vm === undefined || home.holderOf(name) !== undefined) return [];
    return [{ ...vm, drop: () => home.dropVm(name) }];
  });
};

export const login = (_context: TartContext, argv: readonly string[]): number => {
  const flags = ['--password-stdin', '--insecure', '--no-validate'];
  const words = parseWords({ command: 'login', positionals: ['host'], flags, options: ['--username'] }, argv);
  if ((words.option('--username') === undefined) === words.has('--password-stdin')) {
    throw words.refuse('both --username and --password-stdin are required');
  }
  return 0;
};

export const logout = (_context: TartContext, argv: readonly string[]): number => {
  parseWords({ command: 'logout', positionals: ['host'] }, argv);
  return 0;
};
