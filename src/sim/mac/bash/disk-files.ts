/**
 * A Mac's disk in a directory of ours. The scripts of the Mac write there too, and may leave links: every path is
 * followed by hand, so that none leads out of the directory.
 */
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { FleetError } from '../../../base/errors.ts';
import type { FileOwner, MacFiles } from '../model/files.ts';

const LINKS_MAX = 40;

/** Where the Mac's `path` lies in `root`, all links followed. Also for a path that is not there yet. */
const resolveOnDisk = (root: string, path: string): string => {
  const todo = path.split('/').filter((part) => part !== '' && part !== '.');
  let at: string[] = [];
  let links = 0;
  for (let part = todo.shift(); part !== undefined; part = todo.shift()) {
    if (part === '..') {
      at = at.slice(0, -1);
      continue;
    }
    const target = linkTarget(join(root, ...at, part));
    if (target === undefined) {
      at = [...at, part];
      continue;
    }
    links += 1;
    if (links > LINKS_MAX) throw tooManyLinks(path);
    if (target.startsWith('/')) at = [];
    todo.unshift(...target.split('/').filter((piece) => piece !== '' && piece !== '.'));
  }
  return join(root, ...at);
};

const tooManyLinks = (path: string): FleetError =>
  new FleetError('invalid', { code: 'TooManyLinks', message: `too many levels of symbolic links: ${path}` });

const linkTarget = (path: string): string | undefined => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
};

const own = (path: string, { mode, uid = 0, gid = 0 }: FileOwner, usualMode: number): void => {
  chmodSync(path, mode ?? usualMode);
  // Without root everything on the disk is ours, whoever owns it on the Mac.
  if (process.getuid?.() === 0) chownSync(path, uid, gid);
};

/** The Mac's top folders are those of `root`. */
export const createDiskFiles = (root: string): MacFiles => {
  const at = (path: string): string => resolveOnDisk(root, path);
  const read = (path: string): Buffer | undefined => {
    const place = at(path);
    return statSync(place, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(place) : undefined;
  };
  return {
    read,
    readText: (path) => read(path)?.toString('utf8'),
    facts: (path) => {
      const stats = statSync(at(path), { throwIfNoEntry: false, bigint: true });
      if (stats === undefined) return undefined;
      const { ino, birthtimeNs, mode, uid, size } = stats;
      return {
        ...{ inode: `${ino}-${birthtimeNs}`, mode: Number(mode & 0o7777n) },
        ...{ uid: Number(uid), sizeBytes: Number(size) },
      };
    },
    list: (path) => {
      const place = at(path);
      const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
      return isFolder ? readdirSync(place).sort() : [];
    },
    write: (path, content, owner = {}) => {
      const place = at(path);
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, content);
      own(place, owner, 0o644);
    },
    replace: (path, content, owner = {}) => {
      const place = at(path);
      writeFileSync(`${place}.new`, content);
      own(`${place}.new`, owner, 0o644);
      renameSync(`${place}.new`, place);
    },
    makeDirectory: (path, owner = {}) => {
      const place = at(path);
      mkdirSync(place, { recursive: true });
      own(place, owner, 0o755);
    },
    remove: (path) => rmSync(at(path), { recursive: true, force: true }),
  };
};
