/**
 * Every row of a paged list, or an error: never a silent first page, and none whose pages do not add up (F16). One row may
 * still be missing when another came and one went between two pages; so absence from a list alone proves nothing (R19).
 */
import { FleetError } from '../../base/errors.ts';
import { createLimiter } from '../../base/limiter.ts';

export interface Page<T> {
  readonly totalCount: number;
  readonly rows: readonly T[];
}

export interface PagedList<T> {
  /** For errors: `listing the servers of fr-par-1`. */
  readonly doing: string;
  readonly signal: AbortSignal;
  readonly fetchPage: (page: number) => Promise<Page<T>>;
  /** What makes a row itself; one without it is told from all others. */
  readonly identify: (row: T) => string | undefined;
}

export const PAGE_SIZE = 100;
const PAGES_AT_ONCE = 4;
const TRIES = 3;
/** No project is that large; a count beyond it is a broken answer. */
const ROWS_MAX = 100_000;

export const listAll = async <T>(list: PagedList<T>): Promise<readonly T[]> => {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const rows = await tryList(list);
    if (rows !== undefined) return rows;
  }
  throw new FleetError('unavailable', {
    code: 'IncompleteList',
    message: `${list.doing}: the list changed while it was read, ${TRIES} times in a row`,
    hint: 'Nothing to do: it is read again later.',
  });
};

/** Undefined when the pages do not add up. */
const tryList = async <T>({ doing, signal, fetchPage, identify }: PagedList<T>): Promise<readonly T[] | undefined> => {
  const first = await fetchPage(1);
  if (!Number.isInteger(first.totalCount) || first.totalCount < 0 || first.totalCount > ROWS_MAX) {
    throw strangeList(doing, `counts ${first.totalCount} rows`);
  }
  if (first.rows.length > PAGE_SIZE) throw strangeList(doing, `has a page of ${first.rows.length} rows`);
  const limiter = createLimiter(PAGES_AT_ONCE);
  const others = Array.from({ length: Math.ceil(first.totalCount / PAGE_SIZE) - 1 }, (_, at) =>
    limiter.run(() => fetchPage(at + 2), signal),
  );
  const pages = [first, ...(await Promise.all(others))];
  if (pages.some(({ totalCount }) => totalCount !== first.totalCount)) return undefined;
  const rows = distinct(pages, identify);
  return rows.length === first.totalCount ? rows : undefined;
};

const distinct = <T>(pages: readonly Page<T>[], identify: PagedList<T>['identify']): readonly T[] => {
  const seen = new Set<string>();
  const rows: T[] = [];
  for (const page of pages) {
    for (const row of page.rows) {
      const id = identify(row);
      if (id !== undefined && seen.has(id)) continue;
      if (id !== undefined) seen.add(id);
      rows.push(row);
    }
  }
  return rows;
};

const strangeList = (doing: string, what: string): FleetError =>
  new FleetError('contract', {
    code: 'StrangeList',
    message: `${doing}: the answer ${what}`,
    hint: 'Report this; nothing is decided by it.',
  });
