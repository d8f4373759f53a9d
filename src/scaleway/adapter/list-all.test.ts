import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import { listAll, type Page } from './list-all.ts';

const names = (count: number, from = 0): readonly string[] =>
  Array.from({ length: count }, (_, at) => `row-${from + at}`);

/** Serves slices of what `rows` holds at the time of each request. */
const serve = (rows: () => readonly string[]) => {
  const asked: number[] = [];
  const fetchPage = async (page: number): Promise<Page<string>> => {
    asked.push(page);
    const all = rows();
    return { totalCount: all.length, rows: all.slice((page - 1) * 100, page * 100) };
  };
  return { asked, fetchPage };
};

const list = (fetchPage: (page: number) => Promise<Page<string>>) =>
  listAll({ doing: 'listing', signal: neverAborted(), fetchPage, identify: (row) => row });

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: unknown) => (error instanceof FleetError ? `${error.kind} ${error.code}` : String(error)),
  );

describe('a list (T-58)', () => {
  for (const count of [0, 1, 99, 100, 101, 200, 1_234]) {
    test(`of ${count} rows is whole, each page asked for once`, async () => {
      const { asked, fetchPage } = serve(() => names(count));
      assert.deepEqual(await list(fetchPage), names(count));
      assert.equal(asked.length, Math.max(1, Math.ceil(count / 100)));
    });
  }

  test('F16: that moved between two pages is read again', async () => {
    let requests = 0;
    const { asked, fetchPage } = serve(() => {
      requests += 1;
      return requests === 1 ? names(150) : names(149, 1);
    });
    assert.deepEqual(await list(fetchPage), names(149, 1));
    assert.equal(asked.length, 4);
  });

  test('F16: that shows a row twice while the count stays is read again', async () => {
    let requests = 0;
    const { fetchPage } = serve(() => {
      requests += 1;
      return requests === 2 ? ['new', ...names(149)] : names(150);
    });
    assert.deepEqual(await list(fetchPage), names(150));
  });

  test('F16: whose count grew between two pages that fit together is read again', async () => {
    let requests = 0;
    const fetchPage = async (page: number): Promise<Page<string>> => {
      requests += 1;
      const totalCount = requests === 2 ? 151 : 150;
      return { totalCount, rows: names(150).slice((page - 1) * 100, page * 100) };
    };
    assert.deepEqual(await list(fetchPage), names(150));
    assert.equal(requests, 4);
  });

  test('F16: that never stands still is an error, never a part', async () => {
    let requests = 0;
    const { fetchPage } = serve(() => {
      requests += 1;
      return names(150 + requests);
    });
    assert.equal(await codeOf(list(fetchPage)), 'unavailable IncompleteList');
  });

  const strange: readonly { story: string; page: Page<string>; is: string }[] = [
    {
      story: 'whose first page repeats for ever',
      page: { totalCount: 500, rows: names(100) },
      is: 'unavailable IncompleteList',
    },
    { story: 'that counts rows it does not have', page: { totalCount: 3, rows: [] }, is: 'unavailable IncompleteList' },
    { story: 'that counts without end', page: { totalCount: 1e12, rows: names(100) }, is: 'contract StrangeList' },
    { story: 'without a count', page: { totalCount: Number.NaN, rows: names(3) }, is: 'contract StrangeList' },
    { story: 'with a page beyond its size', page: { totalCount: 200, rows: names(200) }, is: 'contract StrangeList' },
  ];
  for (const { story, page, is } of strange) {
    test(`${story} is an error`, async () => assert.equal(await codeOf(list(async () => page)), is));
  }

  test('fails as its page does', async () => {
    const failing = () => Promise.reject(new FleetError('denied', { code: 'No', message: 'no' }));
    assert.equal(await codeOf(list(failing)), 'denied No');
  });
});
