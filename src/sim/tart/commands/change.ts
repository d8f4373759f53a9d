/** `clone`, `set`, `delete` and `rename`. */
import { sleep } from '../../../base/clock.ts';
import { parseWords, type Words } from '../arguments.ts';
import { isRemote, parseImageName } from '../image-name.ts';
import type { TartContext } from '../tart-context.ts';
import { foreignError, missingVm, runtimeError } from '../tart-failure.ts';
import type { CachedImage, SimVm, TartHome } from '../tart-home.ts';
import { vmFaultsOf } from '../tart-settings.ts';
import { randomEcid, randomMac } from '../vm-identity.ts';
import { fetchImage } from './pull.ts';
import { findCached, openVm } from './show.ts';

export const clone = async (context: TartContext, argv: readonly string[]): Promise<number> => {
  const words = parseWords(
    {
      command: 'clone',
      positionals: ['source-name', 'new-name'],
      flags: ['--insecure', '--deduplicate'],
      options: ['--concurrency', '--prune-limit'],
    },
    argv,
  );
  const [source = '', target = ''] = words.positionals;
  if (target.includes('/')) throw words.refuse('<new-name> should be a local name');
  if (words.option('--concurrency') === '0') throw words.refuse('network concurrency cannot be less than 1');
  if (isRemote(source) && findCached(context.home, source) === undefined) {
    await fetchImage(context, parseImageName(source));
  }
  const vm = openVm(context, source);
  const { cloneMs } = context.home.settings();
  if (cloneMs > 0) await sleep(context.clock, cloneMs, context.signal);
  // The source may be gone by now.
  openVm(context, source);
  context.home.copyVm(source, target, {
    ...vm,
    macAddress: macFor(context, vm, source),
    accessedMs: context.clock.now(),
  });
  return 0;
};

/** A new one only where another local VM has it already. */
const macFor = ({ home, random }: TartContext, vm: SimVm, source: string): string => {
  const isTaken = home.vmNames().some((name) => home.vm(name)?.macAddress === vm.macAddress);
  return isTaken && !vm.isSuspended && source !== '' ? randomMac(random) : vm.macAddress;
};

export const set = (context: TartContext, argv: readonly string[]): number => {
  const words = parseWords(
    {
      command: 'set',
      positionals: ['name'],
      flags: ['--random-mac', '--random-serial', '--display-refit', '--no-display-refit'],
      options: ['--cpu', '--memory', '--display', '--disk', '--disk-size'],
    },
    argv,
  );
  const [name = ''] = words.positionals;
  const vm = openVm(context, name);
  const cpus = numberOf(words, '--cpu') ?? vm.cpus;
  const memoryMib = numberOf(words, '--memory') ?? vm.memoryMib;
  const diskGb = numberOf(words, '--disk-size') ?? vm.diskGb;
  checkSizes(vm, { cpus, memoryMib, diskGb });
  context.home.putVm(name, {
    ...vm,
    ...{ cpus, memoryMib, diskGb },
    ...(words.has('--random-mac') ? { macAddress: randomMac(context.random) } : {}),
    ...(words.has('--random-serial') ? { ecid: randomEcid(context.random) } : {}),
  });
  return 0;
};

const numberOf = (words: Words, option: string): number | undefined => {
  const text = words.option(option);
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw words.refuse(`The value '${text}' is invalid for '${option} <${option.slice(2)}>'`);
};

const checkSizes = (vm: SimVm, wanted: Pick<SimVm, 'cpus' | 'memoryMib' | 'diskGb'>): void => {
  if (wanted.cpus < vm.cpusMin) throw tooSmall(`${vm.cpusMin} CPU cores`, wanted.cpus);
  if (wanted.memoryMib < vm.memoryMinMib) throw tooSmall(`${vm.memoryMinMib} MB of memory`, wanted.memoryMib);
  if (wanted.diskGb < vm.diskGb) {
    throw runtimeError(
      `new disk size of ${wanted.diskGb} GB should be larger than the current disk size of ${vm.diskGb} GB`,
    );
  }
};

const tooSmall = (least: string, wanted: number): Error =>
  foreignError(`LessThanMinimalResourcesError: VM should have ${least} at minimum (requested ${wanted})`);

export const remove = (context: TartContext, argv: readonly string[]): number => {
  const { positionals } = parseWords({ command: 'delete', positionals: ['name'], takesRest: true }, argv);
  for (const name of positionals) {
    if (isRemote(name)) dropImage(context.home, name);
    else dropLocal(context.home, name);
  }
  return 0;
};

const dropLocal = (home: TartHome, name: string): void => {
  if (home.vm(name) === undefined && !home.isBroken(name)) throw missingVm(name);
  const isRefused = vmFaultsOf(home.settings(), name).deleteRefused === true;
  if (isRefused || home.holderOf(name) !== undefined) throw runtimeError(`VM "${name}" is running`);
  home.dropVm(name);
};

/** A tag goes alone; the image goes with its last name. */
const dropImage = (home: TartHome, name: string): void => {
  const image = findCached(home, name);
  if (image === undefined) throw missingVm(name);
  const { reference } = parseImageName(name);
  const left: CachedImage = { ...image, tags: image.tags.filter((tag) => `:${tag}` !== reference) };
  if (reference.startsWith('@') || left.tags.length === 0) home.dropCached(image);
  else home.putCached(left);
};

export const rename = (context: TartContext, argv: readonly string[]): number => {
  const words = parseWords({ command: 'rename', positionals: ['name', 'new-name'] }, argv);
  const [name = '', target = ''] = words.positionals;
  const vm = context.home.vm(name);
  if (vm === undefined) throw words.refuse(`failed to rename a non-existent local VM: ${name}`);
  if (context.home.vm(target) !== undefined) {
    throw words.refuse(`failed to rename VM ${name}, target VM ${target} already exists, delete it first!`);
  }
  context.home.copyVm(name, target, vm);
  context.home.dropVm(name);
  return 0;
};
