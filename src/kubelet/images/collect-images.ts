/** Carries out a collection: judges everything on the Mac, deletes one by one, and measures again when space stays short. */
import { toFleetError } from '../../base/errors.ts';
import { isGoldenName } from '../vm/golden-name.ts';
import { parseTartList, type TartEntry } from '../vm/tart-answers.ts';
import { TART_LIMITS_MS } from '../vm/tart-cli.ts';
import { repositoryOf } from './image-name.ts';
import type { Collected, CollectImages } from './image-port.ts';
import type { ImageWork } from './image-work.ts';
import { FREE_PERCENT_FLOOR, planCollection, planPressure, type Verdict } from './plan-collection.ts';

/** `space` when a pull did not fit, whatever the disk measures: then nothing is kept just in case. */
export type CollectReason = 'tidiness' | 'space';

export const collectImages = async (
  work: ImageWork,
  request: CollectImages,
  reason: CollectReason = 'tidiness',
): Promise<Collected> => {
  const { signal } = request;
  const entries = await listEntries(work, signal);
  const live = new Set(await work.vms.running(signal));
  const { book, claims, clock } = work;
  const freePercent = reason === 'space' ? 0 : await freePercentOf(work);
  const judge = (judged: readonly TartEntry[]): ReadonlyMap<string, Verdict> =>
    planCollection({
      ...{ entries: judged, live, isBusy: claims.isClaimed, factsOf: book.facts, nowMs: clock.now() },
      ...{ ...request.needed(), owns: request.owns, freePercent },
    });
  await keepTime(work, judge(entries));
  const gone: TartEntry[] = [];
  for (const entry of entries) {
    // Everything before took its time: somebody may have come for it.
    if (judge([entry]).get(entry.name) === 'delete' && (await drop(work, entry, signal))) gone.push(entry);
  }
  gone.push(...(await relievePressure(work, request)));
  const names = (kept: (entry: TartEntry) => boolean): readonly string[] => gone.filter(kept).map(({ name }) => name);
  return {
    vms: names(({ source, name }) => source === 'local' && !isGoldenName(name)),
    goldens: names(({ source, name }) => source === 'local' && isGoldenName(name)),
    cached: names(({ source }) => source === 'oci'),
  };
};

/** Also tells the book which bases there are. */
export const listEntries = async ({ cli, book }: ImageWork, signal: AbortSignal): Promise<readonly TartEntry[]> => {
  const words = ['list', '--format', 'json'];
  const look = book.look();
  try {
    const entries = parseTartList(await cli.ask({ doing: 'tart list', words, timeoutMs: TART_LIMITS_MS.list, signal }));
    const goldens = entries.filter(({ source, name }) => source === 'local' && isGoldenName(name));
    await look.found(goldens.map(({ name }) => name));
    return entries;
  } finally {
    look.end();
  }
};

/** What cannot be measured is not short. */
const freePercentOf = async ({ measureDisk, diskPath, logger }: ImageWork): Promise<number> => {
  try {
    const { totalBytes, freeBytes } = await measureDisk(diskPath);
    return totalBytes === 0 ? 100 : (100 * freeBytes) / totalBytes;
  } catch (error) {
    logger.warn('The disk could not be measured', { error });
    return 100;
  }
};

/** Starts the clock of a base that nobody needs, and stops that of one that somebody does. */
const keepTime = async ({ book, clock }: ImageWork, plan: ReadonlyMap<string, Verdict>): Promise<void> => {
  for (const [golden, verdict] of plan) {
    const known = book.facts(golden);
    // It turned out not to be there.
    if (known === undefined) continue;
    const { unneededSinceMs, ...facts } = known;
    if (verdict === 'keep-needed' && unneededSinceMs !== undefined) await book.put(golden, facts);
    if (verdict === 'keep-until-later' && unneededSinceMs === undefined) {
      await book.put(golden, { ...facts, unneededSinceMs: clock.now() });
    }
  }
};

/** Whether it is gone. One that resists does not keep the others. */
const drop = async (work: ImageWork, { source, name }: TartEntry, signal: AbortSignal): Promise<boolean> => {
  const { claims, vms, book, cli, logger } = work;
  try {
    if (source === 'oci') {
      return await claims.deleteUnlessClaimed(repositoryOf(name), async () => {
        await cli.ask({ doing: 'tart delete', words: ['delete', name], timeoutMs: TART_LIMITS_MS.delete, signal });
      });
    }
    return await claims.deleteUnlessClaimed(name, async () => {
      await vms.remove(name, signal);
      if (isGoldenName(name)) await book.drop(name);
    });
  } catch (thrown) {
    const error = toFleetError(thrown);
    if (error.kind === 'cancelled') throw error;
    // Deleting one name of an image may take the others with it.
    if (error.code === 'VmMissing') return true;
    logger.warn('Something that nobody needs could not be deleted', { name, error });
    return false;
  }
};

const relievePressure = async (work: ImageWork, request: CollectImages): Promise<readonly TartEntry[]> => {
  const { book, claims } = work;
  const gone: TartEntry[] = [];
  if ((await freePercentOf(work)) >= FREE_PERCENT_FLOOR) return gone;
  const live = new Set(await work.vms.running(request.signal));
  const order = (): readonly string[] =>
    planPressure({ goldens: book.names(), live, isBusy: claims.isClaimed, ...request.needed() });
  for (const name of order()) {
    const entry: TartEntry = { source: 'local', name, sizeGb: 0 };
    if (order().includes(name) && (await drop(work, entry, request.signal))) gone.push(entry);
    if ((await freePercentOf(work)) >= FREE_PERCENT_FLOOR) break;
  }
  return gone;
};
