/**
 * What the real API has and this one does not: runners, kernel extensions and more bandwidth. Whoever asks for it is refused
 * as the real API refuses things, because a request that is half obeyed looks like a success.
 */
import { isRecord } from '../../base/json.ts';
import { invalidArgument, notFound, permissionsDenied } from './refusals.ts';
import { APPLE_SILICON, page, type Route, type RouteCall } from './route.ts';
import { BANDWIDTH_BPS } from './wire.ts';

/** Of an order, an update or a reinstall. What only repeats the default is no wish. */
export const assertOffered = ({ body }: RouteCall): void => {
  const bandwidth = body['public_bandwidth_bps'] ?? 0;
  if (bandwidth !== 0 && bandwidth !== BANDWIDTH_BPS)
    throw invalidArgument('public_bandwidth_bps', `must be ${BANDWIDTH_BPS}`);
  if (body['enable_kext'] === true) throw invalidArgument('enable_kext', 'kernel extensions are not offered');
  for (const name of ['runner_configuration', 'applied_runner_configurations']) {
    if (isRecord(body[name])) throw invalidArgument(name, 'runners are not offered');
  }
};

const RUNNERS = `${APPLE_SILICON}/runners`;

/** A project that has no runners and may have none. */
export const RUNNER_ROUTES: readonly Route[] = [
  {
    ...{ method: 'GET', path: RUNNERS, verb: 'runners' },
    handle: (call) => page<object>(call, [], { member: 'runners', render: (runner) => runner }),
  },
  {
    ...{ method: 'POST', path: RUNNERS, verb: 'runner' },
    handle: () => {
      throw permissionsDenied('runner', 'write');
    },
  },
  ...['GET', 'PATCH', 'DELETE'].map((method) => ({
    ...{ method, path: `${RUNNERS}/{id}`, verb: method === 'GET' ? 'runners' : 'runner' },
    handle: ({ params }: RouteCall) => {
      throw notFound('runner', params['id'] ?? '');
    },
  })),
];
