/**
 * The gate of the API put together: who somebody acts as, what one may do, which writes are acceptable, and the answers
 * about access itself.
 */
import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import { tolerateBriefly } from '../api/admission/brief-tolerations.ts';
import { createEscalationGuard } from '../api/admission/no-escalation.ts';
import { restrictNodes } from '../api/admission/node-restriction/node-restriction.ts';
import type { AdmissionDeps, Admit } from '../api/admission/plugin.ts';
import { givePriority, guardDefaultClass } from '../api/admission/pod-priority.ts';
import { createPolicyGuard } from '../api/admission/policies/policy-guard.ts';
import { nameServiceAccount } from '../api/admission/service-account.ts';
import { guardSigning } from '../api/admission/signing-rights.ts';
import type { Gate } from '../api/gate.ts';
import type { ApiRequest } from '../api/http.ts';
import type { Store } from '../store/store.ts';
import { createAccessAnswers } from './access-answers.ts';
import { type Attempt, parseAttempt } from './attempt.ts';
import { createAuthorizer, forbiddenAttempt } from './authorize.ts';
import { NODE_RULES } from './bootstrap/roles-for-nodes.ts';
import type { Authorize } from './decision.ts';
import { impersonate } from './impersonate.ts';
import { createNodeAuthorizer } from './node/authorize-node.ts';
import { createNodeGraph } from './node/node-graph.ts';
import { createRoleAuthorizer } from './rbac/authorize-by-roles.ts';
import { createRuleBook } from './rbac/rule-book.ts';
import type { Tokens } from './tokens/tokens.ts';

export interface AccessGateDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly tokens: Tokens;
}

export interface AccessGate extends Gate {
  readonly authorize: Authorize;
}

export const createAccessGate = ({ store, clock, ids, tokens }: AccessGateDeps): AccessGate => {
  const book = createRuleBook(store);
  const authorize = createAuthorizer([
    createNodeAuthorizer({ graph: createNodeGraph(store), rules: NODE_RULES }),
    createRoleAuthorizer(book),
  ]);
  const deps: AdmissionDeps = { store, authorize };
  const before: readonly Admit[] = [restrictNodes, createEscalationGuard(book)];
  const after: readonly Admit[] = [guardSigning, guardDefaultClass, createPolicyGuard(store)];
  const admission: Pick<Gate, 'admit' | 'validate'> = {
    admit: (write, object) => {
      const named = nameServiceAccount(write, object, deps);
      const filled = tolerateBriefly(write, givePriority(write, named, deps));
      const seen = write.object === undefined ? write : { ...write, object: filled };
      for (const admit of before) admit(seen, deps);
      return filled;
    },
    validate: (write) => {
      for (const admit of after) admit(write, deps);
    },
  };
  return {
    ...admission,
    authorize,
    enter: (request) => enter(request, authorize),
    answer: createAccessAnswers({ store, clock, ids, tokens, book, authorize, admission }),
  };
};

const enter = (request: ApiRequest, authorize: Authorize): ApiRequest => {
  const user = impersonate(request, authorize);
  const served = user === request.user ? request : { ...request, user };
  check(parseAttempt(served), authorize);
  return served;
};

const check = (attempt: Attempt, authorize: Authorize): void => {
  const { isAllowed, reason } = authorize(attempt);
  if (!isAllowed) throw forbiddenAttempt(attempt, reason);
};
