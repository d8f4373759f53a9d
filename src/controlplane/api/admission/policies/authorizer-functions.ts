/**
 * `authorizer` in CEL: `authorizer.group(g).resource(r).name(n).check(verb).allowed()` and its relatives. Each word makes the
 * question narrower; `check` asks it.
 */
import type { Environment } from '@marcbachmann/cel-js';
import type { Decision } from '../../../auth/decision.ts';

export interface Question {
  readonly path: string | undefined;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Another subject than the one who sent the request. */
  readonly account: { readonly namespace: string; readonly name: string } | undefined;
}

export type AskAccess = (question: Question, verb: string) => Decision;

const NOTHING: Question = {
  ...{ path: undefined, group: '', resource: '', subresource: '', namespace: '', name: '', account: undefined },
};

/** What an expression holds while it puts its question together; the library tells its types by their class. */
class Asker {
  readonly ask: AskAccess;
  readonly question: Question;
  readonly requestResource: ResourceAsker | undefined;

  constructor(ask: AskAccess, question: Question, requestResource?: ResourceAsker) {
    this.ask = ask;
    this.question = question;
    this.requestResource = requestResource;
  }
}

class GroupAsker extends Asker {}
class ResourceAsker extends Asker {}
class PathAsker extends Asker {}

class Answer {
  readonly decision: Decision;

  constructor(decision: Decision) {
    this.decision = decision;
  }
}

/** The value of the variable `authorizer`. `requestResource` is what the request itself is about. */
export const createAsker = (ask: AskAccess, requestResource: Partial<Question>): object =>
  new Asker(ask, NOTHING, new ResourceAsker(ask, { ...NOTHING, ...requestResource }));

export const registerAuthorizer = (environment: Environment): Environment =>
  environment
    .registerType('ResourceAuthorizer', ResourceAsker)
    .registerType('GroupAuthorizer', GroupAsker)
    .registerType('PathAuthorizer', PathAsker)
    .registerType('Authorizer', { ctor: Asker, fields: { requestResource: 'ResourceAuthorizer' } })
    .registerType('Decision', Answer)
    .registerFunction('Authorizer.path(string): PathAuthorizer', ({ ask, question }: Asker, path: string) => {
      return new PathAsker(ask, { ...question, path });
    })
    .registerFunction('Authorizer.group(string): GroupAuthorizer', ({ ask, question }: Asker, group: string) => {
      return new GroupAsker(ask, { ...question, group });
    })
    .registerFunction(
      'Authorizer.serviceAccount(string, string): Authorizer',
      ({ ask, question, requestResource }: Asker, namespace: string, name: string) =>
        new Asker(ask, { ...question, account: { namespace, name } }, requestResource),
    )
    .registerFunction('GroupAuthorizer.resource(string): ResourceAuthorizer', narrow('resource'))
    .registerFunction('ResourceAuthorizer.subresource(string): ResourceAuthorizer', narrow('subresource'))
    .registerFunction('ResourceAuthorizer.namespace(string): ResourceAuthorizer', narrow('namespace'))
    .registerFunction('ResourceAuthorizer.name(string): ResourceAuthorizer', narrow('name'))
    .registerFunction('ResourceAuthorizer.check(string): Decision', check)
    .registerFunction('PathAuthorizer.check(string): Decision', check)
    .registerFunction('Decision.allowed(): bool', ({ decision }: Answer) => decision.isAllowed)
    .registerFunction('Decision.denied(): bool', () => false)
    .registerFunction('Decision.errored(): bool', () => false)
    .registerFunction('Decision.error(): string', () => '')
    .registerFunction('Decision.reason(): string', ({ decision }: Answer) => decision.reason);

const narrow =
  (word: 'resource' | 'subresource' | 'namespace' | 'name') =>
  ({ ask, question }: Asker, value: string): ResourceAsker =>
    new ResourceAsker(ask, { ...question, [word]: value });

const check = ({ ask, question }: Asker, verb: string): Answer => new Answer(ask(question, verb));
