import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Attempt, parseAttempt } from './attempt.ts';
import { ANONYMOUS } from './user.ts';

/** `verb resource[/subresource][.group] [namespace/]name`, or `verb path`. */
const render = (attempt: Attempt): string => {
  if (attempt.on === 'path') return `${attempt.verb} ${attempt.path}`;
  const { verb, group, resource, subresource, namespace, name } = attempt;
  const what = `${resource}${subresource === '' ? '' : `/${subresource}`}${group === '' ? '' : `.${group}`}`;
  return `${verb} ${what} ${namespace}/${name}`;
};

const ROWS: readonly (readonly [request: string, means: string])[] = [
  ['GET /api/v1/nodes', 'list nodes /'],
  ['GET /api/v1/nodes?watch=true', 'watch nodes /'],
  ['GET /api/v1/nodes?watch', 'watch nodes /'],
  ['GET /api/v1/nodes?watch=0', 'list nodes /'],
  ['GET /api/v1/nodes?watch=False', 'list nodes /'],
  ['GET /api/v1/nodes/n?watch=true', 'get nodes /n'],
  ['HEAD /api/v1/nodes/n', 'get nodes /n'],
  ['POST /api/v1/nodes', 'create nodes /'],
  ['PUT /api/v1/nodes/n', 'update nodes /n'],
  ['PATCH /api/v1/nodes/n/status', 'patch nodes/status /n'],
  ['DELETE /api/v1/nodes/n', 'delete nodes /n'],
  ['DELETE /api/v1/nodes', 'deletecollection nodes /'],
  ['GET /api/v1/namespaces', 'list namespaces /'],
  ['GET /api/v1/namespaces/a', 'get namespaces a/a'],
  ['PUT /api/v1/namespaces/a/finalize', 'update namespaces/finalize a/a'],
  ['GET /api/v1/namespaces/a/pods', 'list pods a/'],
  ['GET /api/v1/namespaces/a/pods/p/log', 'get pods/log a/p'],
  ['GET /api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dp', 'list pods a/p'],
  ['GET /api/v1/namespaces/a/pods?fieldSelector=metadata.name%21%3Dp', 'list pods a/'],
  ['DELETE /api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dp', 'deletecollection pods a/'],
  ['GET /apis/apps/v1/namespaces/a/deployments/d', 'get deployments.apps a/d'],
  ['GET /apis/apps/v1/namespaces/a%2Fb/deployments/d', 'get deployments.apps a/b/d'],
  ['GET /api/v1//secrets', 'list secrets /'],
  ['GET /api/v1/watch/pods', 'watch pods /'],
  ['OPTIONS /api/v1/nodes', ' nodes /'],
  ['GET /apis/apps/v1', 'get /apis/apps/v1'],
  ['GET /api', 'get /api'],
  ['GET /healthz?verbose', 'get /healthz'],
  ['GET /../api/v1/secrets', 'get /../api/v1/secrets'],
  ['GET /API/v1/secrets', 'get /API/v1/secrets'],
  ['GET /api/v1/%ZZ', 'list %ZZ /'],
];

describe('a request line', () => {
  for (const [request, means] of ROWS) {
    it(`${request} means ${means}`, () => {
      const [method = '', path = ''] = request.split(' ');
      assert.equal(render(parseAttempt({ method, path, user: ANONYMOUS })), means);
    });
  }
});
