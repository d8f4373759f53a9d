/**
 * Makes a lockfile that `npm ci` accepts everywhere. Tools such as Biome ship one optional package per platform; a registry
 * that does not carry all of them leaves those out of the lockfile, and `npm ci` then refuses it. The missing
 * entries are for other platforms, so version, platform and "optional" are all that is needed. Pure.
 */
import { isRecord } from '../../src/base/json.ts';

type LockEntry = Readonly<Record<string, unknown>>;

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const PROCESSORS = ['arm64', 'x64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x'];

/** The optional packages of dependencies that have no entry of their own, by name. */
export const findMissingOptional = ({ packages }: Lockfile): ReadonlyMap<string, string> => {
  const wanted = Object.entries(packages)
    .filter(([path]) => path !== '')
    .flatMap(([, { optionalDependencies }]) =>
      Object.entries(isRecord(optionalDependencies) ? optionalDependencies : {}),
    );
  return new Map(
    wanted
      .filter(([name]) => packages[`node_modules/${name}`] === undefined)
      .map(([name, version]) => [name, String(version)]),
  );
};

/** The lockfile with an entry for each of them. */
export const completeLock = (lock: Lockfile): Lockfile => {
  const added = [...findMissingOptional(lock)].map(
    ([name, version]) => [`node_modules/${name}`, entryFor(name, version)] as const,
  );
  const all = [...Object.entries(lock.packages), ...added].sort(([left], [right]) => (left < right ? -1 : 1));
  return { ...lock, packages: Object.fromEntries(all) };
};

const entryFor = (name: string, version: string): LockEntry => {
  const system = SYSTEMS.find((candidate) => name.includes(candidate)) ?? 'none';
  const rest = name.slice(name.lastIndexOf(system) + system.length + 1);
  const processor = PROCESSORS.find((candidate) => rest.startsWith(candidate)) ?? 'none';
  const libc = rest.includes('musl') ? { libc: ['musl'] } : {};
  return { version, cpu: [processor], dev: true, ...libc, optional: true, os: [system] };
};

export const parseLockfile = (text: string): Lockfile => {
  const lock: unknown = JSON.parse(text);
  if (!isRecord(lock) || !isRecord(lock['packages'])) throw new TypeError('package-lock.json has no packages');
  return lock as unknown as Lockfile;
};
