import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Attempt } from './attempt.ts';
import { parseAttempt } from './attempt.ts';
import { type Authorize, allowed, noOpinion } from './decision.ts';
import { authorizeImpersonation, type Wish } from './impersonation-modes.ts';
import { serviceAccountUser, type User } from './user.ts';

const render = (attempt: Attempt): string =>
  attempt.on === 'path'
    ? `${attempt.verb} ${attempt.path}`
    : [attempt.verb, `${attempt.resource}.${attempt.group}`, attempt.name].filter((word) => word !== '').join(' ');

/** Has exactly those rights, and remembers what it was asked. */
const createRights = (...rights: readonly string[]) => {
  const asked: string[] = [];
  const authorize: Authorize = (attempt) => {
    asked.push(render(attempt));
    return rights.includes(render(attempt)) ? allowed() : noOpinion('');
  };
  return { asked, authorize };
};

const AGENT: User = {
  ...serviceAccountUser({ namespace: 'a', name: 'agent' }),
  extra: { 'authentication.kubernetes.io/node-name': ['n1'] },
};
const wishFor = (user: string, more: Partial<Wish> = {}): Wish => ({ user, uid: '', groups: [], extra: [], ...more });

const ON = 'pods. p';
const rows: readonly {
  readonly story: string;
  readonly by?: User;
  readonly wish: Wish;
  readonly rights: readonly string[];
  /** The groups that come with it, or that it is refused. */
  readonly gives: readonly string[] | undefined | 'nothing';
}[] = [
  {
    story: 'a user, for one purpose',
    wish: wishFor('petra'),
    rights: [`impersonate-on:user-info:get ${ON}`, 'impersonate:user-info users.authentication.k8s.io petra'],
    gives: undefined,
  },
  {
    story: 'a user, but for no purpose',
    wish: wishFor('petra'),
    rights: ['impersonate:user-info users.authentication.k8s.io petra'],
    gives: 'nothing',
  },
  {
    story: 'a user with a group, a uid and more, each by a right of its own',
    wish: wishFor('petra', { groups: ['devs'], uid: 'u', extra: [['team', 'x']] }),
    rights: [
      `impersonate-on:user-info:get ${ON}`,
      ...['users.authentication.k8s.io petra', 'groups.authentication.k8s.io devs'].map(
        (what) => `impersonate:user-info ${what}`,
      ),
      ...['uids.authentication.k8s.io u', 'userextras.authentication.k8s.io x'].map(
        (what) => `impersonate:user-info ${what}`,
      ),
    ],
    gives: undefined,
  },
  {
    story: 'the group of masters by no constrained right',
    wish: wishFor('petra', { groups: ['system:masters'] }),
    rights: [
      `impersonate-on:user-info:get ${ON}`,
      'impersonate:user-info users.authentication.k8s.io petra',
      'impersonate:user-info groups.authentication.k8s.io system:masters',
    ],
    gives: 'nothing',
  },
  { story: 'anybody by the old right', wish: wishFor('petra'), rights: ['impersonate users. petra'], gives: undefined },
  {
    story: 'a Node, which comes with its group',
    wish: wishFor('system:node:n1'),
    rights: [`impersonate-on:arbitrary-node:get ${ON}`, 'impersonate:arbitrary-node nodes.authentication.k8s.io n1'],
    gives: ['system:nodes'],
  },
  {
    story: 'the Node that its Pod runs on',
    by: AGENT,
    wish: wishFor('system:node:n1'),
    rights: [`impersonate-on:associated-node:get ${ON}`, 'impersonate:associated-node nodes.authentication.k8s.io *'],
    gives: ['system:nodes'],
  },
  {
    story: 'another Node than that of its Pod',
    by: AGENT,
    wish: wishFor('system:node:n2'),
    rights: [`impersonate-on:associated-node:get ${ON}`, 'impersonate:associated-node nodes.authentication.k8s.io *'],
    gives: 'nothing',
  },
  {
    story: 'a Node with a group by no constrained right',
    wish: wishFor('system:node:n1', { groups: ['devs'] }),
    rights: [`impersonate-on:arbitrary-node:get ${ON}`, 'impersonate:arbitrary-node nodes.authentication.k8s.io n1'],
    gives: 'nothing',
  },
  {
    story: 'a ServiceAccount',
    wish: wishFor('system:serviceaccount:a:builder'),
    rights: [
      `impersonate-on:serviceaccount:get ${ON}`,
      'impersonate:serviceaccount serviceaccounts.authentication.k8s.io builder',
    ],
    gives: undefined,
  },
];

describe('somebody may act as', () => {
  for (const { story, by = { name: 'actor', groups: [] }, wish, rights, gives } of rows) {
    it(story, () => {
      const attempt = parseAttempt({ method: 'GET', path: '/api/v1/namespaces/a/pods/p', user: by });
      const { authorize } = createRights(...rights);
      const act = () => authorizeImpersonation(wish, attempt, authorize);
      if (gives === 'nothing') assert.throws(act, { reason: 'Forbidden' });
      else assert.deepEqual(act(), gives);
    });
  }

  it('nobody whom no right names, and hears what was asked first', () => {
    const attempt = parseAttempt({ method: 'GET', path: '/version', user: { name: 'actor', groups: [] } });
    const { asked, authorize } = createRights();
    assert.throws(() => authorizeImpersonation(wishFor('petra'), attempt, authorize), {
      message: 'forbidden: User "actor" cannot impersonate-on:user-info:get path "/version"',
    });
    assert.deepEqual(asked, ['impersonate-on:user-info:get /version', 'impersonate users. petra']);
  });
});
