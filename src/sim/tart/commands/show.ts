/** `list`, `get` and `fqn`: what is here, as Tart prints it. */
import { toTimestamp } from '../../../base/clock.ts';
import { parseWords } from '../arguments.ts';
import { isRemote, parseImageName } from '../image-name.ts';
import type { TartContext } from '../tart-context.ts';
import { missingVm, runtimeError } from '../tart-failure.ts';
import type { CachedImage, SimVm, TartHome } from '../tart-home.ts';

/** The VM that a name means, local or cached. Each look at it counts as an access. */
export const openVm = ({ home, clock }: Pick<TartContext, 'home' | 'clock'>, name: string): SimVm => {
  if (isRemote(name)) {
    const image = findCached(home, name);
    if (image === undefined) throw missingVm(name);
    return image.vm;
  }
  if (home.isBroken(name)) {
    throw runtimeError('VM is missing some of its files (config.json, disk.img or nvram.bin)');
  }
  const vm = home.vm(name);
  if (vm === undefined) throw missingVm(name);
  home.touch(name, clock.now());
  return vm;
};

export const findCached = (home: TartHome, name: string): CachedImage | undefined => {
  const { host, namespace, reference } = parseImageName(name);
  const marks = (image: CachedImage): boolean =>
    reference.startsWith('@') ? `@${image.digest}` === reference : image.tags.includes(reference.slice(1));
  return home.cached().find((image) => image.repository === `${host}/${namespace}` && marks(image));
};

const stateOf = (home: TartHome, name: string, vm: SimVm): 'running' | 'suspended' | 'stopped' => {
  if (home.holderOf(name) !== undefined) return 'running';
  return vm.isSuspended ? 'suspended' : 'stopped';
};

interface Row {
  readonly Source: 'local' | 'OCI';
  readonly Name: string;
  readonly Disk: number;
  readonly Size: number;
  readonly Accessed: string;
  readonly Running: boolean;
  readonly State: string;
}

const rowsOf = ({ home }: TartContext): readonly Row[] => {
  const local = home.vmNames().flatMap((name): readonly Row[] => {
    const vm = home.vm(name);
    if (vm === undefined) return [];
    const state = stateOf(home, name, vm);
    return [{ Source: 'local', Name: name, ...sizesOf(vm), Running: state === 'running', State: state }];
  });
  const oci = home
    .cached()
    .flatMap(({ repository, digest, tags, vm }) =>
      [...tags.map((tag) => `${repository}:${tag}`), `${repository}@${digest}`].map(
        (name): Row => ({ Source: 'OCI', Name: name, ...sizesOf(vm), Running: false, State: 'stopped' }),
      ),
    );
  return [...local.toSorted(byName), ...oci.toSorted(byName)];
};

const byName = (left: Row, right: Row): number => (left.Name < right.Name ? -1 : 1);

const sizesOf = ({ diskGb, sizeGb, accessedMs }: SimVm): Pick<Row, 'Disk' | 'Size' | 'Accessed'> => ({
  Disk: diskGb,
  Size: Math.round(sizeGb),
  Accessed: toTimestamp(accessedMs),
});

export const list = (context: TartContext, argv: readonly string[]): number => {
  const words = parseWords(
    { command: 'list', positionals: [], options: ['--source', '--format'], flags: ['--quiet'] },
    argv,
  );
  const source = words.option('--source');
  if (source !== undefined && source !== 'local' && source !== 'oci') {
    throw words.refuse(`'${source}' is not a valid <source>`);
  }
  const rows = rowsOf(context).filter((row) => source === undefined || row.Source.toLowerCase() === source);
  if (words.has('--quiet')) context.out(rows.map(({ Name }) => Name).join('\n'));
  else if (words.option('--format') === 'json') context.out(renderAppleJson(rows));
  else context.out(renderTable(rows));
  return 0;
};

export const get = (context: TartContext, argv: readonly string[]): number => {
  const words = parseWords({ command: 'get', positionals: ['name'], options: ['--format'] }, argv);
  const [name = ''] = words.positionals;
  const vm = openVm(context, name);
  const state = stateOf(context.home, name, vm);
  const shown = {
    ...{ OS: vm.os, CPU: vm.cpus, Memory: vm.memoryMib, Disk: vm.diskGb, DiskFormat: 'raw' },
    ...{ Size: vm.sizeGb.toFixed(3), Display: '1024x768', State: state },
  };
  const isJson = words.option('--format') === 'json';
  context.out(isJson ? renderAppleJson({ ...shown, Running: state === 'running' }) : renderTable([shown]));
  return 0;
};

export const fqn = (context: TartContext, argv: readonly string[]): number => {
  const [name = ''] = parseWords({ command: 'fqn', positionals: ['name'] }, argv).positionals;
  const image = isRemote(name) ? findCached(context.home, name) : undefined;
  if (isRemote(name) && image === undefined) throw missingVm(name);
  context.out(image === undefined ? name : `${image.repository}@${image.digest}`);
  return 0;
};

/** As Foundation writes JSON: blanks around colons, escaped slashes, an empty line in an empty list. */
const renderAppleJson = (value: unknown): string => {
  if (Array.isArray(value) && value.length === 0) return '[\n\n]';
  return JSON.stringify(value, null, 2)
    .replaceAll('/', '\\/')
    .replace(/^(\s*"(?:[^"\\]|\\.)*"):/gm, '$1 :');
};

const renderTable = (rows: readonly object[]): string => {
  const [first] = rows;
  if (first === undefined) return '';
  const columns = Object.keys(first).filter((name) => name !== 'Running');
  const cells = [
    columns,
    ...rows.map((row) => columns.map((name) => String(Object.entries(row).find(([key]) => key === name)?.[1]))),
  ];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join(' ')
        .trimEnd(),
    )
    .join('\n');
};
