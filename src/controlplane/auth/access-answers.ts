/** Requests that are about access and not about stored objects: reviews, tokens, and the keys that tokens are signed with. */
import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import { isRecord } from '../../base/json.ts';
import { SERVICE_ACCOUNTS } from '../../kube/types/core.ts';
import type { Gate, Write } from '../api/gate.ts';
import { type ApiRequest, type ApiResponse, reply } from '../api/http.ts';
import { ApiRefusal, badRequest, notAllowed } from '../api/refusal.ts';
import { formatOf } from '../api/show/negotiate.ts';
import type { Fields } from '../store/object.ts';
import type { Store } from '../store/store.ts';
import { parseAttempt, type ResourceAttempt } from './attempt.ts';
import type { Authorize } from './decision.ts';
import type { RuleBook } from './rbac/rule-book.ts';
import { reviewAccess, reviewOwnRules } from './reviews/access-review.ts';
import { reviewSelf, reviewToken } from './reviews/identity-review.ts';
import { requestToken } from './tokens/token-request.ts';
import type { Tokens } from './tokens/tokens.ts';

export interface AccessAnswersDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly tokens: Tokens;
  readonly book: RuleBook;
  readonly authorize: Authorize;
  readonly admission: Pick<Gate, 'admit' | 'validate'>;
}

type Review = (deps: AccessAnswersDeps, asked: { readonly attempt: ResourceAttempt; readonly body: Fields }) => Fields;

const accessReview =
  (kind: Parameters<typeof reviewAccess>[0]['kind']): Review =>
  ({ authorize }, { attempt: { namespace, user }, body }) =>
    reviewAccess({ kind, namespace, body, user }, authorize);

const REVIEWS: ReadonlyMap<string, Review> = new Map<string, Review>([
  ['authorization.k8s.io/v1/subjectaccessreviews', accessReview('SubjectAccessReview')],
  ['authorization.k8s.io/v1/selfsubjectaccessreviews', accessReview('SelfSubjectAccessReview')],
  ['authorization.k8s.io/v1/localsubjectaccessreviews', accessReview('LocalSubjectAccessReview')],
  [
    'authorization.k8s.io/v1/selfsubjectrulesreviews',
    ({ book }, { attempt: { user }, body }) => reviewOwnRules(body, user, book),
  ],
  ['authentication.k8s.io/v1/tokenreviews', ({ tokens }, { body }) => reviewToken(body, tokens)],
  ['authentication.k8s.io/v1/selfsubjectreviews', ({ clock }, { attempt: { user } }) => reviewSelf(user, clock.now())],
]);

const LOCAL = 'localsubjectaccessreviews';

export const createAccessAnswers =
  (deps: AccessAnswersDeps): Gate['answer'] =>
  (request) => {
    const attempt = parseAttempt(request);
    if (attempt.on === 'path') return answerPath(deps.tokens, request);
    const { group, version, resource, subresource, name, namespace } = attempt;
    const review = REVIEWS.get(`${group}/${version}/${resource}`);
    if (review !== undefined && name === '' && (resource === LOCAL) === (namespace !== '')) {
      if (request.method !== 'POST') throw notAllowed();
      checkWantsWhole(request);
      return reply(201, review(deps, { attempt, body: readBody(request) }));
    }
    const isToken = group === '' && version === 'v1' && resource === 'serviceaccounts' && subresource === 'token';
    return isToken ? answerToken(deps, attempt, request) : undefined;
  };

/** A review is no object that is kept: it has neither columns nor metadata. */
const checkWantsWhole = ({ headers }: ApiRequest): void => {
  if (formatOf({ headers, query: new URLSearchParams() }) === 'object') return;
  throw new ApiRefusal(
    'NotAcceptable',
    'only the following media types are accepted: application/json, application/yaml',
  );
};

const answerPath = (tokens: Tokens, { method, path }: ApiRequest): ApiResponse | undefined => {
  if (method !== 'GET') return undefined;
  switch (path.replace(/\/?(\?.*)?$/s, '')) {
    case '/openid/v1/jwks':
      return { ...reply(200, tokens.renderKeys()), headers: { 'content-type': 'application/jwk-set+json' } };
    case '/.well-known/openid-configuration':
      return reply(200, {
        issuer: tokens.issuer,
        jwks_uri: `${tokens.issuer}/openid/v1/jwks`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['ES256'],
      });
    default:
      return undefined;
  }
};

const answerToken = (deps: AccessAnswersDeps, attempt: ResourceAttempt, request: ApiRequest): ApiResponse => {
  if (request.method !== 'POST') throw notAllowed();
  const { namespace, name, user } = attempt;
  const body = readBody(request);
  const write: Write = {
    ...{ operation: 'CREATE', user, resource: SERVICE_ACCOUNTS, subresource: 'token', namespace, name },
    ...{ object: body, old: undefined, isDryRun: false, warn: () => undefined },
  };
  deps.admission.admit(write, body);
  const validate = (object: Fields): void => deps.admission.validate({ ...write, object });
  return reply(201, requestToken(deps, { namespace, name, body, validate }));
};

const readBody = ({ body }: ApiRequest): Fields => {
  const text = typeof body === 'string' ? body : Buffer.from(body ?? '').toString('utf8');
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw badRequest('the body of the request is not complete JSON');
  }
  if (isRecord(parsed)) return parsed;
  throw badRequest('the request needs an object as its body');
};
