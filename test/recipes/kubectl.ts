/**
 * The few verbs of kubectl that docs/operating.md uses, on a simulated world: a command that waits lets virtual time pass,
 * and every other one a second. A verb, flag or kind that is not here is an error.
 */
import { parseDuration } from '../../src/base/duration.ts';
import { isRecord } from '../../src/base/json.ts';
import { ALL_KINDS } from '../../src/kinds/all-kinds.ts';
import { CLUSTER_API_RESOURCES } from '../../src/kube/types/cluster-api.ts';
import { NODES } from '../../src/kube/types/core.ts';
import type { KubeObject } from '../../src/kube/types/meta.ts';
import type { Resource } from '../../src/kube/types/resource.ts';
import type { FleetWorld } from '../../src/world/fleet-world.ts';
import { BOUNDS, checkOf } from '../../src/world/testing/fleet-run.ts';

const RESOURCES: ReadonlyMap<string, Resource<KubeObject>> = new Map([
  ...[...Object.values(CLUSTER_API_RESOURCES), NODES].flatMap((resource) => namesOf(resource)),
  ...ALL_KINDS.flatMap(({ resource, shortName }) => [...namesOf(resource), [shortName, resource] as const]),
]);

function namesOf(resource: Resource<KubeObject>): readonly (readonly [string, Resource<KubeObject>])[] {
  return [resource.plural, resource.kind.toLowerCase()].map((name) => [name, resource] as const);
}

/** What each verb may be given; a flag with `=` needs a value. */
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  get: ['-A', '-o='],
  describe: [],
  scale: ['--replicas='],
  patch: ['--type=', '--subresource=', '-p='],
  annotate: ['--overwrite'],
  delete: [],
  wait: ['--for=', '--timeout='],
};

interface Call {
  readonly verb: string;
  readonly words: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
}

const parseCall = ([verb = '', ...args]: readonly string[]): Call => {
  const known = FLAGS[verb];
  if (known === undefined) throw new Error(`no recipe may use kubectl ${verb}`);
  const words: string[] = [];
  const flags = new Map<string, string>();
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    const [name = '', ...values] = arg.split('=');
    if (!arg.startsWith('-')) words.push(arg);
    else if (known.includes(arg)) flags.set(arg, '');
    else if (!known.includes(`${name}=`)) throw new Error(`kubectl ${verb} has no ${name} in a recipe`);
    else if (values.length > 0) flags.set(name, values.join('='));
    else {
      at += 1;
      flags.set(name, args[at] ?? '');
    }
  }
  return { verb, words, flags };
};

interface Target {
  readonly resource: Resource<KubeObject>;
  readonly name: string;
}

const resourceOf = (kind: string): Resource<KubeObject> => {
  const resource = RESOURCES.get(kind);
  if (resource === undefined) throw new Error(`the server has no kind "${kind}"`);
  return resource;
};

const targetOf = ({ verb, words }: Call): Target => {
  const [kind = '', name = ''] = words;
  if (name === '') throw new Error(`kubectl ${verb} ${kind}: of which name?`);
  return { resource: resourceOf(kind), name };
};

/** The command line `kubectl …` on this world; gives what is printed. */
export const createKubectl =
  (world: FleetWorld) =>
  async (args: readonly string[]): Promise<string> => {
    const call = parseCall(args);
    if (call.verb === 'get' || call.verb === 'describe') return show(world, call);
    if (call.verb === 'wait') await waitFor(world, call);
    else await change(world, call);
    await pass(world, 1_000);
    return '';
  };

const find = ({ operator }: FleetWorld, { resource, name }: Target): KubeObject | undefined =>
  operator.list(resource).find(({ metadata }) => metadata.name === name);

const mustFind = (world: FleetWorld, target: Target): KubeObject => {
  const found = find(world, target);
  if (found === undefined) throw new Error(`${target.resource.plural} "${target.name}" not found`);
  return found;
};

const show = (world: FleetWorld, call: Call): string => {
  const [kinds = '', name] = call.words;
  const output = call.flags.get('-o') ?? 'wide';
  if (name === undefined) {
    for (const kind of kinds.split(',')) world.operator.list(resourceOf(kind));
    return '';
  }
  const object = mustFind(world, targetOf(call));
  return output === 'wide' ? '' : readPath(object, output.replace(/^jsonpath=/, ''));
};

const PATH = /^\{((?:\.\w+)+)\}$/;

/** `{.status.state}`; empty when there is nothing. */
const readPath = (object: unknown, path: string): string => {
  const steps = PATH.exec(path)?.[1]?.slice(1).split('.');
  if (steps === undefined) throw new Error(`no path that a recipe may have: ${path}`);
  const value = steps.reduce<unknown>((at, step) => (isRecord(at) ? at[step] : undefined), object);
  return value === undefined ? '' : String(value);
};

const change = async (world: FleetWorld, call: Call): Promise<void> => {
  const { operator } = world;
  const target = targetOf(call);
  const { resource, name } = target;
  const { uid } = mustFind(world, target).metadata;
  if (call.verb === 'delete') {
    operator.remove(resource, name);
    const isGone = (): boolean => find(world, target)?.metadata.uid !== uid;
    await until(world, { what: `${name} is gone`, timeoutMs: BOUNDS.maxVirtualMs }, isGone);
  } else if (call.verb === 'scale') operator.merge(resource, name, { spec: { replicas: replicasOf(call) } });
  else if (call.verb === 'annotate') operator.merge(resource, name, { metadata: { annotations: annotationsOf(call) } });
  else if (call.flags.get('--subresource') === 'status') operator.mergeStatus(resource, name, bodyOf(call));
  else operator.merge(resource, name, bodyOf(call));
};

const replicasOf = ({ flags }: Call): number => {
  const text = flags.get('--replicas') ?? '';
  if (!/^\d+$/.test(text)) throw new Error(`--replicas=${text} is no number`);
  return Number(text);
};

const annotationsOf = ({ words }: Call): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    words.slice(2).map((word) => {
      const [key = '', ...value] = word.split('=');
      return value.length === 0 && key.endsWith('-') ? [key.slice(0, -1), null] : [key, value.join('=')];
    }),
  );

const bodyOf = ({ flags }: Call): object => {
  const body: unknown = JSON.parse(flags.get('-p') ?? '');
  if (flags.get('--type') !== 'merge' || !isRecord(body)) throw new Error('a recipe patches with --type=merge');
  return body;
};

const waitFor = async (world: FleetWorld, call: Call): Promise<void> => {
  const target = targetOf(call);
  const goal = call.flags.get('--for') ?? '';
  const timeoutMs = parseDuration(call.flags.get('--timeout') ?? '30s');
  const isSo = testOf(goal);
  const what = `${target.resource.plural} ${target.name} ${goal}`;
  await until(world, { what, timeoutMs }, () => isSo(find(world, target)));
};

const JSON_PATH = /^jsonpath=(\{.*\})=(.+)$/;

/** Whether an object is as `--for` wants it. */
const testOf = (goal: string): ((object: KubeObject | undefined) => boolean) => {
  if (goal === 'create') return (object) => object !== undefined;
  const [, type] = /^condition=(\w+)$/.exec(goal) ?? [];
  if (type !== undefined) return (object) => object !== undefined && conditionOf(object, type) === 'True';
  const [, path = '', value] = JSON_PATH.exec(goal) ?? [];
  if (value === undefined) throw new Error(`no goal that a recipe may have: ${goal}`);
  return (object) => object !== undefined && readPath(object, path) === value;
};

const conditionOf = (object: object, type: string): unknown => {
  const status = 'status' in object && isRecord(object.status) ? object.status : {};
  const conditions: readonly unknown[] = Array.isArray(status['conditions']) ? status['conditions'] : [];
  return conditions.filter(isRecord).find((condition) => condition['type'] === type)?.['status'];
};

const LOOK_EVERY = 5;

const until = async (
  world: FleetWorld,
  { what, timeoutMs }: { readonly what: string; readonly timeoutMs: number },
  isSo: () => boolean,
): Promise<void> => {
  if (isSo()) return;
  let events = 0;
  const look = (): boolean => {
    events += 1;
    return events % LOOK_EVERY === 0 && isSo();
  };
  const limits = { ...BOUNDS, maxVirtualMs: timeoutMs, check: checkOf(world), until: look };
  const { outcome } = await world.kernel.run(limits);
  if (outcome !== 'until' && !isSo()) throw new Error(`timed out waiting for: ${what}`);
};

const pass = async (world: FleetWorld, ms: number): Promise<void> => {
  await world.kernel.run({ ...BOUNDS, maxVirtualMs: ms, check: checkOf(world) });
};
