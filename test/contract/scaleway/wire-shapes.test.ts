/** What the simulated API sends, field by field, against what was recorded of the real one in March 2026. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRecord } from '../../../src/base/json.ts';
import { createSeededRandom } from '../../../src/base/random.ts';
import { createManualClock } from '../../../src/base/testing/manual-clock.ts';
import { createSimCloud } from '../../../src/sim/cloud/sim-cloud.ts';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const ZONE = '/apple-silicon/v1alpha1/zones/fr-par-1';
const ABSENT_ID = '00000000-0000-4000-8000-00000000dead';

/** A pattern that a text must match, a value that must be equal, a list of such, or an object with exactly these members. */
type Shape = RegExp | string | number | boolean | null | readonly Shape[] | { readonly [name: string]: Shape };

const assertShape = (actual: unknown, shape: Shape, at: string): void => {
  if (shape instanceof RegExp) {
    assert.match(String(actual), shape, at);
    return;
  }
  if (Array.isArray(shape)) {
    assert.ok(Array.isArray(actual) && actual.length === shape.length, `${at} has another length`);
    for (const [index, item] of shape.entries()) assertShape(actual[index], item, `${at}[${index}]`);
    return;
  }
  if (!isRecord(shape)) {
    assert.equal(actual, shape, at);
    return;
  }
  assert.ok(isRecord(actual), `${at} is no object`);
  assert.deepEqual(Object.keys(actual).toSorted(), Object.keys(shape).toSorted(), at);
  for (const [name, member] of Object.entries<Shape>(shape)) assertShape(actual[name], member, `${at}.${name}`);
};

const OS = {
  compatible_server_types: ['M1-M', 'M2-M', 'M2-L', 'M4-S', 'M4-M', 'M4-L', 'M4-XL'],
  description: '',
  family: 'Tahoe',
  id: ID,
  image_url: /^https:\/\/.*macos-tahoe\.png$/,
  is_beta: false,
  label: 'macOS Tahoe 26.3',
  name: 'macos-tahoe-26.3',
  release_notes_url: '',
  supported_server_types: [],
  tags: ['macos', 'apple', 'apple-license'],
  version: '26.3',
  xcode_version: '26',
} satisfies Shape;

const SERVER = {
  applied_runner_configuration_ids: [],
  commitment: { cancelled: false, type: 'duration_24h' },
  created_at: TIME,
  deletable_at: TIME,
  deletion_scheduled: false,
  delivered: true,
  id: ID,
  ip: /^198\.18\.\d+\.\d+$/,
  name: 'pool-a',
  organization_id: ID,
  os: OS,
  project_id: ID,
  public_bandwidth_bps: 1_000_000_000,
  runner_configuration: null,
  ssh_username: 'm1',
  status: 'ready',
  sudo_password: /^[\w-]{12}$/,
  tags: [],
  type: 'M2-L',
  updated_at: TIME,
  vnc_port: 59_010,
  vnc_url: /^vnc:\/\/m1:[\w-]{12}@198\.18\.\d+\.\d+:59010$/,
  vpc_status: 'vpc_disabled',
  zone: 'fr-par-1',
} satisfies Shape;

const SEALED = { sudo_password: '<sealed>', vnc_url: '<sealed>' };

const stage = () => {
  const clock = createManualClock();
  const cloud = createSimCloud({
    clock,
    random: createSeededRandom(1),
    apiKeys: [{ accessKey: 'SCWCONTRACT000000000', secretKey: 'key' }],
  });
  const server = cloud.addServer({ name: 'pool-a' });
  const ask = (method: string, target: string, { body = {}, token = 'key' } = {}) => {
    const text = method === 'GET' ? '' : JSON.stringify(body);
    const answer = cloud.serve({ method, target, headers: { 'x-auth-token': token }, body: text, caller: 'test' });
    assert.ok(answer !== undefined);
    const shown: unknown = answer.body === '' ? undefined : JSON.parse(answer.body);
    return { status: answer.status, headers: answer.headers, body: shown };
  };
  return { clock, cloud, server, ask };
};

interface Recorded {
  readonly story: string;
  readonly method: string;
  readonly target: (id: string) => string;
  readonly body?: object;
  readonly shape: Shape;
}

const recorded: readonly Recorded[] = [
  { story: 'a GET of a server', method: 'GET', target: (id) => `${ZONE}/servers/${id}`, shape: SERVER },
  {
    story: 'a PATCH of its name',
    method: 'PATCH',
    target: (id) => `${ZONE}/servers/${id}`,
    body: { name: 'taken' },
    shape: { ...SERVER, ...SEALED, name: 'taken' },
  },
  {
    story: 'an empty PATCH',
    method: 'PATCH',
    target: (id) => `${ZONE}/servers/${id}`,
    shape: { ...SERVER, ...SEALED },
  },
  {
    story: 'a reboot',
    method: 'POST',
    target: (id) => `${ZONE}/servers/${id}/reboot`,
    shape: { ...SERVER, ...SEALED, status: 'rebooting' },
  },
  {
    story: 'a reinstall',
    method: 'POST',
    target: (id) => `${ZONE}/servers/${id}/reinstall`,
    shape: { ...SERVER, ...SEALED, status: 'reinstalling' },
  },
  {
    story: 'an order',
    method: 'POST',
    target: () => `${ZONE}/servers`,
    body: { name: 'new', type: 'M4-M', commitment_type: 'duration_24h' },
    shape: { ...SERVER, ...SEALED, name: 'new', type: 'M4-M', status: 'starting', delivered: false },
  },
  {
    story: 'a list of servers',
    method: 'GET',
    target: () => `${ZONE}/servers?page=1&page_size=100`,
    shape: { total_count: 1, servers: [{ ...SERVER, ...SEALED }] },
  },
  {
    story: 'an image alone',
    method: 'GET',
    target: () => `${ZONE}/os/00000000-0000-4000-8000-000000000006`,
    shape: OS,
  },
  {
    story: 'a list of images, which says where delivery is fast',
    method: 'GET',
    target: () => `${ZONE}/os?name=macos-tahoe-26.3&server_type=M2-L`,
    shape: {
      total_count: 1,
      os: [
        {
          ...OS,
          supported_server_types: OS.compatible_server_types.map((name) => ({
            fast_delivery_available: true,
            server_type: name,
          })),
        },
      ],
    },
  },
  {
    story: 'a type of server',
    method: 'GET',
    target: () => `${ZONE}/server-type/M4-M`,
    shape: {
      cpu: { core_count: 10, name: 'Apple M4' },
      default_os: OS,
      disk: { capacity: 1_024_000_000_000, type: 'SSD' },
      memory: { capacity: 32_000_000_000, type: 'LPDDR5' },
      minimum_lease_duration: '86400s',
      name: 'M4-M',
      network: { public_bandwidth_bps: 1_000_000_000, supported_bandwidth: [1_000_000_000] },
      stock: 'high_stock',
    },
  },
  {
    story: 'the beginning of a diagnosis',
    method: 'POST',
    target: () => `${ZONE}/connectivity-diagnostics`,
    body: { server_id: '{id}' },
    shape: { diagnostic_id: ID },
  },
  {
    story: 'a list of runners',
    method: 'GET',
    target: () => `${ZONE}/runners`,
    shape: { total_count: 0, runners: [] },
  },
];

describe('recorded shapes', () => {
  for (const { story, method, target, body, shape } of recorded) {
    test(story, () => {
      const { server, ask } = stage();
      const sent: object | undefined = body && JSON.parse(JSON.stringify(body).replaceAll('{id}', server.id));
      const answer = ask(method, target(server.id), sent === undefined ? {} : { body: sent });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['content-type'], 'application/json');
      assert.match(answer.headers['x-request-id'] ?? '', ID);
      assert.match(answer.headers['date'] ?? '', /GMT$/);
      assertShape(answer.body, shape, 'body');
    });
  }

  test('a deletion after the lease answers 204 with nothing', () => {
    const { clock, server, ask } = stage();
    clock.advance(86_400_000);
    const { status, body } = ask('DELETE', `${ZONE}/servers/${server.id}`);
    assert.deepEqual([status, body], [204, undefined]);
  });

  test('a diagnosis under way, and one that is done', () => {
    const { clock, server, ask } = stage();
    const { body } = ask('POST', `${ZONE}/connectivity-diagnostics`, { body: { server_id: server.id } });
    const id = isRecord(body) ? String(body['diagnostic_id']) : '';
    const common = { id, error_message: '', supported_actions: [] };
    const look = () => ask('GET', `${ZONE}/connectivity-diagnostics/${id}`).body;
    assertShape(look(), { ...common, status: 'processing', is_healthy: false }, 'body');
    clock.advance(5_000);
    const up = { is_server_alive: true, is_agent_alive: true, is_mdm_alive: true };
    const health_details = { last_checkin_date: TIME, ...up, is_ssh_port_up: true, is_vnc_port_up: true };
    assertShape(look(), { ...common, status: 'completed', is_healthy: true, health_details }, 'body');
  });

  test('a private network that is attached, and one that goes', () => {
    const { clock, server, ask } = stage();
    const networks = `${ZONE}/servers/${server.id}/private-networks`;
    ask('PATCH', `${ZONE}/servers/${server.id}`, { body: { enable_vpc: true } });
    clock.advance(36_000);
    const added = ask('POST', networks, { body: { private_network_id: ABSENT_ID } }).body;
    const row = { id: ID, created_at: TIME, updated_at: TIME, project_id: ID, server_id: server.id, vlan: /^\d{4}$/ };
    const shape = { ...row, private_network_id: ABSENT_ID, ipam_ip_ids: [ID, ID], status: 'attaching' };
    assertShape(added, shape, 'body');
    clock.advance(16_000);
    assertShape(ask('GET', `${networks}/${ABSENT_ID}`).body, { ...shape, status: 'attached' }, 'body');
    assert.equal(ask('DELETE', `${networks}/${ABSENT_ID}`).status, 204);
    const going = { ...shape, status: 'detaching', ipam_ip_ids: [] };
    const list = ask('GET', `${ZONE}/server-private-networks?server_id=${server.id}`).body;
    assertShape(list, { total_count: 1, server_private_networks: [going] }, 'body');
  });

  test('a page beyond the last is empty, and a page size beyond 100 is refused', () => {
    const { ask } = stage();
    assert.deepEqual(ask('GET', `${ZONE}/servers?page=2&page_size=100`).body, { total_count: 1, servers: [] });
    assert.equal(ask('GET', `${ZONE}/servers?page_size=101`).status, 400);
    assert.equal(ask('GET', `${ZONE}/servers?page=0`).status, 400);
  });
});

describe('recorded refusals', () => {
  test('of a server that was deleted', () => {
    const { cloud, server, ask } = stage();
    cloud.deleteServer(server.id);
    const { status, body } = ask('GET', `${ZONE}/servers/${server.id}`);
    const details = [{ action: 'read', resource: 'server' }];
    assert.deepEqual(
      [status, body],
      [403, { details, message: 'insufficient permissions', type: 'permissions_denied' }],
    );
  });

  test('of a server that never was', () => {
    const { status, body } = stage().ask('GET', `${ZONE}/servers/${ABSENT_ID}`);
    const expected = {
      message: 'resource is not found',
      resource: 'server',
      resource_id: ABSENT_ID,
      type: 'not_found',
    };
    assert.deepEqual([status, body], [404, expected]);
  });

  test('of a server that is busy', () => {
    const { server, ask } = stage();
    ask('POST', `${ZONE}/servers/${server.id}/reinstall`);
    const { status, body } = ask('POST', `${ZONE}/servers/${server.id}/reboot`);
    const expected = {
      current_state: 'reinstalling',
      message: 'resource is in a transient state',
      resource: 'server',
      resource_id: server.id,
      type: 'transient_state',
    };
    assert.deepEqual([status, body], [409, expected]);
  });

  test('of an argument', () => {
    const { server, ask } = stage();
    const { status, body } = ask('PATCH', `${ZONE}/servers/${server.id}`, { body: { name: '' } });
    const details = [{ argument_name: 'name', help_message: 'must not be empty', reason: 'constraint' }];
    assert.deepEqual([status, body], [400, { details, message: 'invalid argument(s)', type: 'invalid_arguments' }]);
  });

  test('of a key', () => {
    const { status, body } = stage().ask('GET', `${ZONE}/servers`, { token: 'another' });
    const expected = {
      message: 'authentication is denied',
      method: 'api_key',
      reason: 'not_found',
      type: 'denied_authentication',
    };
    assert.deepEqual([status, body], [401, expected]);
  });

  test('of a deletion before the lease allows it', () => {
    const { server, ask } = stage();
    const { status, body } = ask('DELETE', `${ZONE}/servers/${server.id}`);
    assert.equal(status, 412);
    assertShape(
      body,
      {
        help_message: /^server cannot be deleted before /,
        message: 'precondition is not respected',
        precondition: 'unknown_precondition',
        type: 'precondition_failed',
      },
      'body',
    );
  });

  const DENIED = { message: 'insufficient permissions', type: 'permissions_denied' };
  const invalid = (argument: string) => ({
    details: [{ argument_name: argument, help_message: /./, reason: 'constraint' }],
    ...{ message: 'invalid argument(s)', type: 'invalid_arguments' },
  });
  const order = { name: 'new', type: 'M4-XL' };
  const rows: readonly {
    readonly story: string;
    readonly fault?: string;
    readonly method: string;
    readonly path: string;
    readonly body?: object;
    readonly status: number;
    readonly shape: Shape;
  }[] = [
    {
      story: 'of an order past the quota',
      ...{
        method: 'POST',
        path: '/batch-create-servers',
        body: { ...order, requests: [{ name: 'a' }, { name: 'b' }] },
      },
      status: 403,
      shape: {
        details: [{ current: 0, quota: 1, resource: 'apple_silicon_m4-xl' }],
        ...{ message: 'quota exceeded', type: 'quotas_exceeded' },
      },
    },
    {
      story: 'of an order without stock',
      ...{ method: 'POST', path: '/servers', body: order, fault: 'F27', status: 400 },
      shape: { message: 'resource is out of stock', resource: 'M4-XL', type: 'out_of_stock' },
    },
    {
      story: 'of an order for another project',
      ...{ method: 'POST', path: '/servers', body: { ...order, project_id: ABSENT_ID }, status: 403 },
      shape: { details: [{ action: 'read', resource: 'project' }], ...DENIED },
    },
    {
      story: 'of an order with a commitment that is none',
      ...{ method: 'POST', path: '/servers', body: { ...order, commitment_type: 'weekly' }, status: 400 },
      shape: invalid('commitment_type'),
    },
    {
      story: 'of an order with a runner',
      ...{ method: 'POST', path: '/servers', body: { ...order, runner_configuration: {} }, status: 400 },
      shape: invalid('runner_configuration'),
    },
    {
      story: 'of an order with more bandwidth',
      ...{ method: 'POST', path: '/servers', body: { ...order, public_bandwidth_bps: 1 }, status: 400 },
      shape: invalid('public_bandwidth_bps'),
    },
    {
      story: 'of a reinstall with kernel extensions',
      ...{ method: 'POST', path: '/servers/{id}/reinstall', body: { enable_kext: true }, status: 400 },
      shape: invalid('enable_kext'),
    },
    {
      story: 'of runners on a server',
      ...{ method: 'PATCH', path: '/servers/{id}', body: { applied_runner_configurations: {} }, status: 400 },
      shape: invalid('applied_runner_configurations'),
    },
    {
      story: 'of a runner',
      ...{ method: 'POST', path: '/runners', status: 403 },
      shape: { details: [{ action: 'write', resource: 'runner' }], ...DENIED },
    },
    {
      story: 'of a runner that is none',
      ...{ method: 'DELETE', path: `/runners/${ABSENT_ID}`, status: 404 },
      shape: {
        ...{ message: 'resource is not found', resource: 'runner', resource_id: ABSENT_ID, type: 'not_found' },
      },
    },
    {
      story: 'of a reboot of a server that is locked',
      ...{ method: 'POST', path: '/servers/{id}/reboot', fault: 'F10', status: 403 },
      shape: { message: 'resource is locked', resource: 'server', resource_id: ID, type: 'locked' },
    },
    {
      story: 'of one request too many',
      ...{ method: 'GET', path: '/servers', fault: 'F05b', status: 429 },
      shape: {
        ...{ help_message: 'slow down', message: 'too many requests', type: 'too_many_requests' },
        ...{ limit: { quota: 100, window_seconds: 60 }, reset_seconds: 7 },
      },
    },
    {
      story: 'of what has expired',
      ...{ method: 'GET', path: '/servers', fault: 'expired', status: 410 },
      shape: { expired_since: null, resource: 'server', resource_id: '', type: 'resource_expired' },
    },
  ];
  for (const { story, fault, method, path, body = {}, status, shape } of rows) {
    test(story, () => {
      const { cloud, server, ask } = stage();
      if (fault !== undefined) cloud.switchOn(fault);
      const answer = ask(method, `${ZONE}${path.replace('{id}', server.id)}`, { body });
      assert.equal(answer.status, status);
      assertShape(answer.body, shape, 'body');
      assert.deepEqual(cloud.server(server.id)?.status, fault === 'F10' ? 'locked' : 'ready');
    });
  }
});
