/** The ImagePort over the `tart` command: pulls once, keeps a base, collects what nobody needs. */
import { FleetError, toFleetError } from '../../base/errors.ts';
import { createLimiter } from '../../base/limiter.ts';
import type { HostFiles } from '../host/host-files.ts';
import { goldenNameOf } from '../vm/golden-name.ts';
import { garbled } from '../vm/tart-answers.ts';
import { TART_LIMITS_MS } from '../vm/tart-cli.ts';
import { toTartError } from '../vm/tart-errors.ts';
import { collectImages, listEntries } from './collect-images.ts';
import { createDiskRoom, followPull } from './disk-room.ts';
import { createGoldenBook, type GoldenFacts } from './golden-book.ts';
import { createImageClaims } from './image-claims.ts';
import { parseImageReference } from './image-name.ts';
import type { CollectImages, EnsureImage, HeldImage, ImagePort } from './image-port.ts';
import type { ImageWork } from './image-work.ts';
import { pullImage } from './pull-image.ts';
import { createSharedWork } from './shared-work.ts';

export interface TartImagesOptions extends Omit<ImageWork, 'book' | 'claims'> {
  readonly files: HostFiles;
  /** Where the facts about bases are kept; its folder must exist. */
  readonly bookPath: string;
}

/** One per VM slot: a pull that stalls does not keep the other slot waiting. */
const PULLS_AT_ONCE = 2;

type Made = Pick<HeldImage, 'path' | 'digest'>;

export const createTartImages = (options: TartImagesOptions): ImagePort => {
  const book = createGoldenBook(options.files, options.bookPath);
  const claims = createImageClaims();
  const work: ImageWork = { ...options, book, claims };
  const make = createMaker(work);
  const flights = createSharedWork<Made>();
  const has = (image: string): boolean => book.facts(goldenNameOf(image)) !== undefined;
  const bring = async (request: EnsureImage): Promise<Made> => {
    const { image, policy, signal } = request;
    const isPinned = parseImageReference(image).digest !== undefined;
    // Nothing is pulled before Tart has said what is here.
    if (!book.isOpen()) await listEntries(work, signal);
    const facts = book.facts(goldenNameOf(image));
    if (facts !== undefined && (policy !== 'Always' || isPinned)) return { path: 'warm', ...digestIn(facts) };
    if (policy === 'Never') throw notPresent(image);
    return flights.join(image, request, (shared) => make.base({ ...request, ...shared }));
  };
  return {
    ensure: async (request) => {
      const golden = goldenNameOf(request.image);
      const release = await claims.claim(golden);
      try {
        const lost = async (): Promise<void> => book.drop(golden).finally(release);
        return { golden, release, lost, ...(await bring(request)) };
      } catch (thrown) {
        release();
        throw thrown;
      }
    },
    has,
    look: async (signal) => void (await listEntries(work, signal)),
    goldens: book.names,
    collect: (request) => make.collect(request),
  };
};

const digestIn = ({ digest }: GoldenFacts): Pick<Made, 'digest'> => (digest === undefined ? {} : { digest });

interface Maker {
  base(request: EnsureImage): Promise<Made>;
  collect(request: CollectImages): ReturnType<ImagePort['collect']>;
}

const createMaker = (work: ImageWork): Maker => {
  const room = createDiskRoom(work.measureDisk, work.diskPath);
  const pulls = createLimiter(PULLS_AT_ONCE);
  const collections = createLimiter(1);
  let last: CollectImages | undefined;
  const collect: Maker['collect'] = (request) => {
    last = request;
    return collections.run(() => collectImages(work, request), request.signal);
  };
  /** For space alone: VMs are left to the next collection, whose caller knows which Pods there are. */
  const reclaim = async (signal: AbortSignal): Promise<void> => {
    if (last === undefined) return;
    const request = { ...last, owns: () => false, signal };
    await collections.run(() => collectImages(work, request, 'space'), signal);
  };
  const pull = async ({ image, credentials = [], onProgress: tell, signal }: EnsureImage): Promise<void> => {
    const own = followPull(room);
    const onProgress = (percent: number): void => {
      own.came(percent);
      tell?.(percent);
    };
    const request = { image, credentials, onProgress, signal };
    try {
      await pullImage({ ...work, room: own }, request);
    } catch (thrown) {
      if (toFleetError(thrown).code !== 'NoSpace') throw thrown;
      await reclaim(signal);
      await pullImage({ ...work, room: own }, request);
    }
  };
  return {
    collect,
    base: (request) =>
      pulls.run(async () => {
        const release = await work.claims.claim(parseImageReference(request.image).repository);
        try {
          await pull(request);
          return await settle(work, request);
        } finally {
          release();
        }
      }, request.signal),
  };
};

/** The image is here: it becomes the base, unless the base is of this very digest already. */
const settle = async (work: ImageWork, { image, signal }: EnsureImage): Promise<Made> => {
  const { book, vms } = work;
  const golden = goldenNameOf(image);
  const digest = await digestOf(work, image, signal);
  if (book.facts(golden)?.digest === digest) return { path: 'warm', digest };
  // From here on it may be the one or the other, also for a later life.
  if (book.facts(golden) !== undefined) await book.put(golden, { image });
  await vms.clone({ from: parseImageReference(image).pullName, to: golden, signal });
  await book.put(golden, { image, digest });
  return { path: 'cold', digest };
};

const digestOf = async ({ cli }: ImageWork, image: string, signal: AbortSignal): Promise<string> => {
  const { digest: wanted, pullName } = parseImageReference(image);
  const result = await cli.run({ doing: 'tart fqn', words: ['fqn', pullName], timeoutMs: TART_LIMITS_MS.fqn, signal });
  const digest = /@(sha256:[0-9a-f]{64})\s*$/.exec(result.stdout)?.[1];
  if (result.code === 0 && digest === undefined) throw garbled('tart fqn', 'there is no digest in it');
  if (result.code === 0 && digest !== undefined && (wanted === undefined || wanted === digest)) return digest;
  if (wanted === undefined) throw toTartError('tart fqn', result);
  throw new FleetError('contract', {
    code: 'DigestMismatch',
    message: `the registry gave something else for ${image}${digest === undefined ? '' : `: ${digest}`}`,
    hint: 'Check the digest in the Pod against the registry.',
  });
};

const notPresent = (image: string): FleetError =>
  new FleetError('not-found', {
    code: 'ImageNotPresent',
    message: `${image} is not on this Mac, and the Pod's pull policy is Never`,
    hint: 'Set imagePullPolicy to IfNotPresent.',
  });
