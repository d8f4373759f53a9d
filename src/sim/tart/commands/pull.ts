/** `pull`, and the part of it that `clone` does for an image that is not here yet. */
import { sleep } from '../../../base/clock.ts';
import { parseWords } from '../arguments.ts';
import { type ImageName, isRemote, parseImageName, renderImageName } from '../image-name.ts';
import type { TartContext } from '../tart-context.ts';
import { foreignError, runtimeError } from '../tart-failure.ts';
import type { CachedImage, SimVm } from '../tart-home.ts';
import { findImage, type KnownImage, type PullFaults, pullFaultsOf } from '../tart-settings.ts';
import { randomEcid, randomMac } from '../vm-identity.ts';

const STEPS = 20;
const FOREVER_MS = 24 * 3_600_000;
const LAYER_TRIES = 5;

export const pull = async (context: TartContext, argv: readonly string[]): Promise<number> => {
  const words = parseWords(
    { command: 'pull', positionals: ['remote-name'], flags: ['--insecure'], options: ['--concurrency'] },
    argv,
  );
  const [name = ''] = words.positionals;
  if (!isRemote(name)) {
    context.out(`"${name}" is a local image, nothing to pull here!`);
    return 0;
  }
  const parsed = parseImageName(name);
  context.out(`pulling ${renderImageName(parsed)}...`);
  await fetchImage(context, parsed);
  return 0;
};

export const fetchImage = async (context: TartContext, name: ImageName): Promise<CachedImage> => {
  const settings = context.home.settings();
  const reference = renderImageName(name);
  const faults = pullFaultsOf(settings, reference);
  context.out('pulling manifest...');
  checkRegistry(context, name, faults);
  const found = findImage(settings, reference);
  if (found === undefined) throw unexpectedStatus(404, `manifest unknown: ${reference}`);
  checkLogin(context, name, found);
  const image = { ...found, digest: faults.otherDigest ?? found.digest };
  const repository = `${name.host}/${name.namespace}`;
  const cached = context.home
    .cached()
    .find((entry) => entry.repository === repository && entry.digest === image.digest);
  if (cached !== undefined) return link(context, cached, name);
  checkSpace(context, image);
  await fetchDisk(context, image, faults);
  context.out('pulling NVRAM...');
  const fresh: CachedImage = { repository, digest: image.digest, tags: [], vm: toVm(context, image) };
  return putTag(context, fresh, name);
};

const checkRegistry = (context: TartContext, name: ImageName, { status }: PullFaults): void => {
  if (status === 401 || status === 403) throw authFailed(status);
  if (status !== undefined) throw unexpectedStatus(status, `${name.host} refused`);
  context.signal.throwIfAborted();
};

const unexpectedStatus = (code: number, details: string): Error =>
  foreignError(`UnexpectedHTTPStatusCode(when: "pulling manifest", code: ${code}, details: "${details}")`);

const authFailed = (code: number): Error =>
  foreignError(
    `AuthFailed(why: "received unexpected HTTP status code ${code} while retrieving an authentication token", details: "")`,
  );

const checkLogin = ({ env }: TartContext, { host }: ImageName, { login }: KnownImage): void => {
  if (login === undefined) return;
  const isMeant = (env['TART_REGISTRY_HOSTNAME'] ?? host) === host;
  const { username, password } = login;
  const isRight = env['TART_REGISTRY_USERNAME'] === username && env['TART_REGISTRY_PASSWORD'] === password;
  if (!isMeant || !isRight) throw authFailed(401);
};

const link = (context: TartContext, cached: CachedImage, name: ImageName): CachedImage => {
  const full = `${cached.repository}@${cached.digest}`;
  const isLinked = name.reference === `@${cached.digest}` || cached.tags.includes(name.reference.slice(1));
  context.out(`${full} image is already cached${isLinked ? ' and linked!' : '! creating a symlink...'}`);
  return isLinked ? cached : putTag(context, cached, name);
};

/** A tag moves to the image: another that had it loses it. */
const putTag = ({ home }: TartContext, image: CachedImage, { reference }: ImageName): CachedImage => {
  const tag = reference.startsWith(':') ? reference.slice(1) : undefined;
  for (const other of home.cached()) {
    const isRobbed = tag !== undefined && other.repository === image.repository && other.tags.includes(tag);
    if (isRobbed) home.putCached({ ...other, tags: other.tags.filter((held) => held !== tag) });
  }
  const tagged = tag === undefined ? image : { ...image, tags: [...image.tags.filter((held) => held !== tag), tag] };
  home.putCached(tagged);
  return tagged;
};

const checkSpace = ({ home }: TartContext, { sizeGb = 40 }: KnownImage): void => {
  const { freeGb } = home.settings();
  if (freeGb === undefined) return;
  const used = home.cached().reduce((sum, { vm }) => sum + vm.sizeGb, 0);
  if (sizeGb > freeGb - used) throw runtimeError('There isn’t enough space on the disk to pull the image');
};

const fetchDisk = async (context: TartContext, image: KnownImage, faults: PullFaults): Promise<void> => {
  const { clock, signal, out } = context;
  out(`pulling disk (${(image.compressedGb ?? 25.1).toFixed(1)} GB compressed)...`);
  await blip(context, faults);
  const stepMs = (image.pullMs ?? 0) / STEPS;
  let lastMs = Number.NEGATIVE_INFINITY;
  for (let step = 0; step <= STEPS; step += 1) {
    const percent = (100 * step) / STEPS;
    if (percent === 100 || clock.elapsed() - lastMs >= 1_000) {
      out(`${percent}%`);
      lastMs = clock.elapsed();
    }
    if (faults.stallAtPercent !== undefined && percent >= faults.stallAtPercent && percent < 100) {
      await sleep(clock, faults.stallMs ?? FOREVER_MS, signal);
    }
    if (stepMs > 0) await sleep(clock, stepMs, signal);
  }
};

const blip = async ({ clock, signal, out }: TartContext, { blips = 0 }: PullFaults): Promise<void> => {
  for (let failed = 1; failed <= blips; failed += 1) {
    const why = 'The network connection was lost.';
    if (failed % LAYER_TRIES === 0) throw foreignError(`Error pulling disk layer 3: "${why}"`);
    out(`Error pulling disk layer 3: "${why}", attempting to re-try...`);
    await sleep(clock, 10, signal);
  }
};

const toVm = ({ clock, random }: TartContext, image: KnownImage): SimVm => ({
  os: image.os ?? 'darwin',
  ...{ cpus: 4, cpusMin: 2, memoryMib: 8_192, memoryMinMib: 4_096 },
  ...{ macAddress: randomMac(random), ecid: randomEcid(random) },
  ...{ diskGb: image.diskGb ?? 50, sizeGb: image.sizeGb ?? 40, accessedMs: clock.now(), isSuspended: false },
  guest: { bootMs: image.bootMs ?? 200, ...(image.script === undefined ? {} : { script: image.script }) },
});
