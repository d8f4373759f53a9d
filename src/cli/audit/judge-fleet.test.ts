/** Every rule of an audit: it finds what is planted, all of it, and nothing beside it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../../base/errors.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import { LIST_PRICES } from '../fleet/prices.ts';
import { AUDIT_RULES } from './all-rules.ts';
import { AUDITED_KINDS } from './audited-kinds.ts';
import { type AuditLists, judgeFleet } from './judge-fleet.ts';
import { renderAudit } from './render-audit.ts';
import { trimSecret } from './rules/secrets.ts';
import { parseServers } from './server-file.ts';
import { HEALTHY, type Planted, problemsAt } from './testing/wreck.ts';

const nowMs = Date.parse('2026-11-17T12:00:00Z');
const PROBLEMS = problemsAt(nowMs);
const context = { nowMs, prices: LIST_PRICES };

/** As the API would list it; what was deleted was so an hour ago. */
const listed = ({ object, after }: Planted): KubeObject =>
  after === undefined
    ? object
    : { ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-11-17T11:00:00Z' } };

const listsOf = (planted: readonly Planted[]): AuditLists => {
  const kinds = Object.keys(AUDITED_KINDS).map((kind) => {
    const items = planted.filter(({ resource }) => resource === kind).map(listed);
    return [kind, { is: 'listed', items: kind === 'secrets' ? items.map((item) => trimSecret(item)) : items }];
  });
  return Object.fromEntries(kinds) as unknown as AuditLists;
};

const judge = (planted: readonly Planted[], servers = '[]') =>
  judgeFleet(listsOf([...HEALTHY, ...planted]), parseServers(servers, 'servers.json'), context);

const hostOf = (spec: object): Planted => ({
  resource: 'hosts',
  object: { metadata: { name: 'h' }, spec: { type: 'M2-L', ...spec } },
});

const told = ({ findings }: ReturnType<typeof judge>) => findings.map(({ code, subject }) => `${code} ${subject}`);

describe('an audit', () => {
  it('finds nothing where all is well', () => {
    const report = judge([]);
    assert.deepEqual(report, { findings: [], notJudged: [], eurosPerMonth: 0 });
    assert.equal(renderAudit(report), 'Nothing found.');
  });
  for (const { story, finds, objects } of PROBLEMS) {
    it(`finds ${story}, and nothing else`, () => {
      assert.deepEqual(told(judge(objects)).toSorted(), finds.toSorted());
    });
  }
  it('has a problem planted for every rule, but the one about servers', () => {
    const planted = new Set(PROBLEMS.flatMap(({ finds }) => finds.map((text) => text.split(' ')[0])));
    assert.deepEqual(
      AUDIT_RULES.map(({ code }) => code).filter((code) => !planted.has(code)),
      ['UnknownServer'],
    );
  });
  it('tells what is urgent first, what it costs, and a way out of each', () => {
    const report = judge(PROBLEMS.flatMap(({ objects }) => objects));
    const severities = report.findings.map(({ severity }) => severity);
    assert.deepEqual(severities, severities.toSorted());
    assert.equal(report.eurosPerMonth, 4 * 159);
    for (const { wayOut } of report.findings) assert.ok(wayOut.length > 0);
    assert.match(renderAudit(report), /way out:\n {4}Look at what happened: macfleet describe host 77777777-/);
    assert.match(renderAudit(report), /636 € per month for Macs that work for nobody\.$/);
  });
  const quiet: readonly { story: string; objects: readonly Planted[] }[] = [
    {
      story: 'a Mac that a person holds while its machine lives',
      objects: [
        { resource: 'machines', object: { metadata: { name: 'm', namespace: 'tuist', uid: 'u' }, spec: {} } },
        hostOf({ claimRef: { namespace: 'tuist', name: 'm', uid: 'u' }, hold: { reason: 'Investigating' } }),
      ],
    },
    {
      story: 'a Mac whose release was asked for',
      objects: [hostOf({ hold: { reason: 'X' }, release: { reason: 'Y' } })],
    },
    {
      story: 'one machine on the Mac of another that is being deleted',
      objects: (PROBLEMS.find(({ finds }) => finds[0]?.startsWith('DuplicateClaim'))?.objects ?? []).map(
        (planted, at) => (at === 0 ? { ...planted, after: 'delete' } : planted),
      ),
    },
    {
      story: 'one manager that leads',
      objects: (PROBLEMS.at(-1)?.objects ?? []).slice(0, 1),
    },
    {
      story: 'a Pod that was deleted just now',
      objects: [
        {
          resource: 'pods',
          object: {
            metadata: { name: 'p', namespace: 'tuist', deletionTimestamp: '2026-11-17T11:56:00Z', finalizers: ['x'] },
            spec: { nodeName: 'mac-1', containers: [] },
          },
        },
      ],
    },
  ];
  for (const { story, objects } of quiet)
    it(`does not mind ${story}`, () => assert.deepEqual(told(judge(objects)), []));

  it('never holds what it does not judge of a Secret', () => {
    const data = { 'sudo-password': Buffer.from('correct horse').toString('base64'), 'private-key': 'eA==' };
    assert.deepEqual(trimSecret({ metadata: { name: 'a-bootstrap' }, data }).data, { 'sudo-password': '' });
    assert.equal(trimSecret({ metadata: { name: 'tls' }, type: 'Opaque', data }).data, undefined);
  });
});

describe('an audit of servers', () => {
  const row = (id: string, name: string) => ({ id, name, type: 'M4-S' });
  it('finds the one that nobody knows, and not those of a pool or of a machine', () => {
    const prefixed: Planted = {
      resource: 'machines',
      object: { metadata: { name: 'm', namespace: 'tuist' }, spec: { adoptPoolPrefix: 'tuist-pool-' } },
    };
    const servers = [
      row('11111111-0000-4000-8000-000000000000', 'mac-1'),
      row('a', 'tuist-pool-3f2a'),
      row('b', 'tuist-claim-pending-0f1e2d3c-0000-4000-8000-000000000001'),
      row('c', 'mac-of-yesterday'),
    ];
    const report = judge([prefixed], JSON.stringify({ servers }));
    assert.deepEqual(told(report), ['UnknownServer server/b', 'UnknownServer server/c']);
    assert.equal(report.eurosPerMonth, 2 * 149);
  });
  for (const text of ['', '{}', '[1]', '[{"id":"a"}]']) {
    it(`refuses a file that lists none: ${text || 'an empty one'}`, () => {
      assert.throws(() => parseServers(text, 'servers.json'), { code: 'BadServerFile' });
    });
  }
});

describe('an audit without rights', () => {
  it('says which rules it could not apply, instead of finding nothing', () => {
    const error = new FleetError('denied', { code: 'Forbidden', message: 'no' });
    const lists = { ...listsOf(HEALTHY), secrets: { is: 'denied', error } } as const;
    const report = judgeFleet(lists, [], context);
    assert.deepEqual(
      report.notJudged.map(({ code }) => code),
      ['SealedPassword', 'EndlessToken'],
    );
    assert.match(renderAudit(report), /not judged: SealedPassword: this login may not list secrets/);
    assert.match(renderAudit(report), /Nothing found; 2 rules could not be applied\.$/);
  });
});
