/** A runner asks for a job: the checks of the original in their order, then the claim, labels, JIT config and session. */
import { isKind } from '../../base/errors.ts';
import type { DispatchBody } from '../../dispatch/port/wire.ts';
import { LABELS } from '../../kinds/labels.ts';
import { claim, hand, release } from './claims.ts';
import type { SeenPod } from './cluster-view.ts';
import { lifeOf, note } from './dispatch-core.ts';
import { drawFault, effectOf } from './faults.ts';
import { deregister, register } from './github-side.ts';
import type { Reply, RouteCall, Who } from './route.ts';
import { openSession } from './sessions.ts';
import type { SimJob } from './sim-job.ts';

type Runner = Extract<Who, { is: 'runner' }>;

export const poll = async (call: RouteCall, runner: Runner): Promise<Reply> => {
  const { core } = call;
  const { pod, uid, pool } = runner;
  const seen = await seePod(call, runner);
  const why = seen && (await findDrain(call, runner, seen));
  if (why !== undefined) return sendHome(call, runner, why);
  // Whoever drains a Node may delete a Pod that is not known to run, whatever budget covers it: a job would die with it.
  if (core.protocol === 2 && seen?.isUp === false) return { status: 204 };
  // The answer to an earlier request of the same runner is still being made.
  if (core.state.underWay.has(uid)) return { status: 200, body: { encoded_jit_config: '', owner: '' } };
  const life = lifeOf(core, { pod, uid }, pool);
  const job = claim(core, life);
  if (job === undefined && isOver(life)) return sendHome(call, runner, 'its life has had its job, or may have none');
  if (job === undefined) return { status: 204 };
  core.state.underWay.add(uid);
  try {
    return await handOut(call, runner, job);
  } finally {
    core.state.underWay.delete(uid);
  }
};

const isOver = ({ isRefused, isHanded, stoppedAtMs }: ReturnType<typeof lifeOf>): boolean =>
  isRefused || isHanded || stoppedAtMs !== undefined;

const sendHome = ({ core }: RouteCall, { pod, uid }: Runner, why: string): Reply => {
  note(core, { event: 'drained', pod, uid, why });
  return { status: 410, body: { message: why } };
};

const handOut = async (call: RouteCall, runner: Runner, { id, account }: SimJob): Promise<Reply> => {
  const { core } = call;
  const { pod, uid } = runner;
  await stamp(call, runner, { [LABELS.runnerPoolOwner]: account });
  const trouble = effectOf(drawFault(core, 'mint', { verb: 'dispatch', pod }));
  if (trouble?.do === 'answer') {
    release(core, { pod, uid }, `answered ${trouble.status}`);
    return { status: trouble.status, body: typeof trouble.body === 'string' ? {} : trouble.body };
  }
  const { jit } = register(core, { pod, uid }, id);
  if (!hand(core, { pod, uid })) {
    deregister(core, uid);
    return sendHome(call, runner, 'it ended meanwhile');
  }
  openSession(core, { pod, uid });
  await stamp(call, runner, { [LABELS.runnerAccount]: account });
  const body: DispatchBody = { encoded_jit_config: jit, owner: account, workflow_job_id: id };
  return { status: 200, body };
};

/** Lookup failures never drain. */
const seePod = async ({ view, signal }: RouteCall, { namespace, pod, uid }: Runner): Promise<SeenPod | undefined> => {
  const seen = await orNothing(view.podOf({ namespace, name: pod }, signal));
  return seen?.uid === uid ? seen : undefined;
};

const findDrain = async (call: RouteCall, runner: Runner, { labels, image }: SeenPod): Promise<string | undefined> => {
  const { view, signal } = call;
  if (labels[LABELS.runnerOperatorDrain] === 'true') return `label ${LABELS.runnerOperatorDrain}`;
  if (labels[LABELS.runnerAccount] !== undefined) return `label ${LABELS.runnerAccount}`;
  if (labels[LABELS.drainEligible] !== 'true') return undefined;
  const { namespace, pool } = runner;
  const wanted = await orNothing(view.imageOf({ namespace, name: pool }, signal));
  return wanted === undefined || wanted === image ? undefined : 'its image is an old one';
};

const orNothing = <T extends SeenPod | string>(looking: Promise<T | undefined>): Promise<T | undefined> =>
  looking.catch((error: unknown) => {
    if (isKind(error, 'bug')) throw error;
    return undefined;
  });

const TRIES = 3;

/** Best effort, and on record when it was in vain. */
const stamp = async (call: RouteCall, runner: Runner, labels: Readonly<Record<string, string>>): Promise<void> => {
  const { core, view, signal } = call;
  const { namespace, pod, uid } = runner;
  const label = Object.keys(labels).join();
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    if (drawFault(core, 'label', { verb: 'dispatch', pod }) !== undefined) continue;
    const isDone = await view.label({ namespace, name: pod, uid }, labels, signal).then(
      () => true,
      (error: unknown) => {
        if (isKind(error, 'bug')) throw error;
        return false;
      },
    );
    if (isDone) return note(core, { event: 'stamped', pod, uid, label });
  }
  return note(core, { event: 'stamp-lost', pod, uid, label });
};
