/** Whether somebody may do something: masters may everything, Nodes what concerns them, everybody what their Roles say. */
import { ApiRefusal } from '../api/refusal.ts';
import type { Attempt } from './attempt.ts';
import { type Authorize, allowed, noOpinion } from './decision.ts';
import { MASTERS_GROUP } from './user.ts';

/** The first yes counts; without one, every reason that was given. */
export const createAuthorizer =
  (authorizers: readonly Authorize[]): Authorize =>
  (attempt) => {
    if (attempt.user.groups.includes(MASTERS_GROUP)) return allowed();
    const reasons: string[] = [];
    for (const authorize of authorizers) {
      const decision = authorize(attempt);
      if (decision.isAllowed) return decision;
      if (decision.reason !== '') reasons.push(decision.reason);
    }
    return noOpinion(reasons.join('\n'));
  };

/** The refusal as a real API server words it. */
export const forbiddenAttempt = (attempt: Attempt, reason: string): ApiRefusal => {
  const why = `${sanitize(renderAttempt(attempt))}${reason === '' ? '' : `: ${reason}`}`;
  if (attempt.on === 'path') return new ApiRefusal('Forbidden', `forbidden: ${why}`, {});
  const { group, resource, name } = attempt;
  const qualified = group === '' ? resource : `${resource}.${group}`;
  const subject = name === '' ? qualified : `${qualified} "${name}"`;
  return new ApiRefusal('Forbidden', `${subject} is forbidden: ${why}`, {
    ...(name !== '' && { name }),
    ...(group !== '' && { group }),
    kind: resource,
  });
};

const renderAttempt = (attempt: Attempt): string => {
  const { user, verb } = attempt;
  const who = `User ${JSON.stringify(user.name)} cannot ${verb}`;
  if (attempt.on === 'path') return `${who} path ${JSON.stringify(attempt.path)}`;
  const { group, resource, subresource, namespace } = attempt;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return `${who} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
};

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** The message must not look like HTML to a browser that asked. */
const sanitize = (text: string): string => text.replace(/[&<>]/g, (sign) => ESCAPES[sign] ?? sign);
