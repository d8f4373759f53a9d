/** Reviews of identity: whose token is this, and who am I? */
import { toTimestamp } from '../../../base/clock.ts';
import { badRequest } from '../../api/refusal.ts';
import { type Fields, fieldsOf } from '../../store/object.ts';
import type { Tokens } from '../tokens/tokens.ts';
import type { User } from '../user.ts';

const API_VERSION = 'authentication.k8s.io/v1';

const renderUser = ({ name, uid, groups, extra }: User): Fields => ({
  username: name,
  ...(uid !== undefined && { uid }),
  groups,
  ...(extra !== undefined && { extra }),
});

export const reviewToken = (body: Fields, tokens: Tokens): Fields => {
  const { token, audiences } = fieldsOf(body['spec']);
  if (typeof token !== 'string' || token === '') {
    throw badRequest('token is required for TokenReview in authentication');
  }
  const wanted = Array.isArray(audiences) && audiences.length > 0 ? audiences.map(String) : tokens.audiences;
  const reading = tokens.read(token, wanted);
  return {
    kind: 'TokenReview',
    apiVersion: API_VERSION,
    metadata: {},
    spec: { token, ...(audiences !== undefined && { audiences }) },
    status:
      reading.is === 'good'
        ? { authenticated: true, user: renderUser(reading.user), audiences: reading.audiences }
        : { user: {}, error: reading.why },
  };
};

export const reviewSelf = (user: User, nowMs: number): Fields => ({
  kind: 'SelfSubjectReview',
  apiVersion: API_VERSION,
  metadata: { creationTimestamp: toTimestamp(nowMs) },
  status: { userInfo: renderUser(user) },
});
