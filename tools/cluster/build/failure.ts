/** What Go and the file system say when a build fails, as errors that tell what to do. */
import { FleetError, messageOf } from '../../../src/base/errors.ts';
import { isRecord } from '../../../src/base/json.ts';

const SPACE_HINT =
  'Free some space (a first build takes about 7 GB, most of it in the caches of Go) and run it again: what is finished stays.';

export const goMissing = (): FleetError =>
  new FleetError('unavailable', {
    code: 'GoMissing',
    message: 'the cluster bench cannot be built here: there is no `go` on the PATH',
    hint: 'Install Go 1.26 or later (https://go.dev/dl), or name ready programs with MACFLEET_CLUSTER_BIN.',
  });

const diskFull = (doing: string, cause: unknown): FleetError =>
  new FleetError('no-capacity', { code: 'DiskFull', message: `the disk is full: ${doing}`, hint: SPACE_HINT, cause });

interface GoFailure {
  readonly said: RegExp;
  readonly explain: (doing: string, cause: Error) => FleetError;
}

/** The first that fits. Order matters: a full disk also breaks downloads. */
const GO_FAILURES: readonly GoFailure[] = [
  { said: /no space left on device|disk quota exceeded/, explain: diskFull },
  {
    said: /requires go >= /,
    explain: (doing, cause) =>
      new FleetError('unavailable', {
        code: 'GoTooOld',
        message: `this Go is too old: ${doing}`,
        hint: 'Install Go 1.26 or later (https://go.dev/dl), or allow Go to fetch it with GOTOOLCHAIN=auto.',
        cause,
      }),
  },
  {
    said: /checksum mismatch|SECURITY ERROR/,
    explain: (doing, cause) =>
      new FleetError('contract', {
        code: 'GoModuleChanged',
        message: `a downloaded module is not the one that go.sum pins: ${doing}`,
        hint: 'Do not build from it. Run `go clean -modcache` and try again; if it stays, the proxy delivers something else.',
        cause,
      }),
  },
  {
    said: /dial tcp|no such host|i\/o timeout|connection (refused|reset)|TLS handshake|proxyconnect|: 5\d\d |GOPROXY=off/,
    explain: (doing, cause) =>
      new FleetError('unavailable', {
        code: 'GoModulesUnreachable',
        message: `modules cannot be downloaded: ${doing}`,
        hint: 'Check the network and GOPROXY (`go env GOPROXY`), then run it again: what is finished stays.',
        cause,
      }),
  },
  {
    said: /signal: killed|ended by SIGKILL|cannot allocate memory|out of memory/,
    explain: (doing, cause) =>
      new FleetError('no-capacity', {
        code: 'GoKilled',
        message: `the compiler was killed, most likely for lack of memory: ${doing}`,
        hint: 'Free some memory (about 3 GB are needed), or compile one package at a time with GOMAXPROCS=1.',
        cause,
      }),
  },
];

/** `output` is the last that go said, `doing` what it was asked for. */
export const explainGoFailure = (doing: string, output: string): FleetError => {
  const cause = new Error(output);
  const known = GO_FAILURES.find(({ said }) => said.test(output));
  if (known !== undefined) return known.explain(doing, cause);
  return new FleetError('contract', {
    code: 'GoBuildFailed',
    message: `go failed: ${doing}`,
    hint: 'Run `npm run cluster:build` again; if it fails in the same way, the recipe in tools/cluster is wrong.',
    cause,
  });
};

const NOT_WRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'EISDIR']);
const FULL = new Set(['ENOSPC', 'EDQUOT']);
/** SQLite's numbers, which the lock meets first. */
const SQLITE_NOT_WRITABLE = new Set([3, 8, 14, 23]);
const SQLITE_FULL = 13;

/** What the file system refused, in words; anything else is returned as it is. */
export const explainFileFailure = (thrown: unknown, root: string): unknown => {
  if (!isRecord(thrown) || thrown instanceof FleetError) return thrown;
  const { code, errcode } = thrown;
  if (FULL.has(String(code)) || errcode === SQLITE_FULL) return diskFull(`writing to ${root}`, thrown);
  if (!NOT_WRITABLE.has(String(code)) && !SQLITE_NOT_WRITABLE.has(Number(errcode))) return thrown;
  return new FleetError('denied', {
    code: 'ClusterCacheNotWritable',
    message: `the cache directory ${root} cannot be written: ${messageOf(thrown)}`,
    hint: 'Make it a directory that you may write, or set XDG_CACHE_HOME to another one.',
    cause: thrown,
  });
};
