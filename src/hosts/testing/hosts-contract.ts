/**
 * What every implementation of the Hosts port does, as tests: the simulated Macs in both their forms run them, and the SSH
 * adapter against simulated Macs behind a real SSH port.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { HostSession, Hosts, HostTarget, StepAnswer, StepCall, StepPhase } from '../port.ts';

export interface HostsContractWorld {
  readonly hosts: Hosts;
  /** A Mac as it was delivered: nobody ever worked on it. */
  readonly target: HostTarget;
  readonly sudoPassword: Secret<string>;
  /** Opens no Mac. */
  readonly foreignKey: Secret<string>;
  /** What makes the target one where nobody answers. */
  readonly nowhere: Partial<HostTarget>;
  /** The next check of this step neither ends nor prints; or it is done, and the connection breaks before its answer. */
  breakNextCheck(step: string, how: 'hang' | 'lost-after'): void;
}

/** Builds a world, runs the body in it, and settles as the body does. */
export type HostsContractRun = (body: (world: HostsContractWorld) => Promise<void>) => Promise<void>;

const signal = neverAborted();
/** Appears only where a secret may be. */
const CANARY = 'canary-kubeconfig-4711';

export const testHostsContract = (name: string, run: HostsContractRun): void => {
  const story = (sentence: string, body: (world: HostsContractWorld) => Promise<void>): void => {
    test(`${name}: ${sentence}`, () => run(body));
  };
  storiesOfConnecting(story);
  storiesOfSessions(story);
  storiesOfTheFence(story);
  storiesOfSteps(story);
};

type Story = (sentence: string, body: (world: HostsContractWorld) => Promise<void>) => void;

const storiesOfConnecting = (story: Story): void => {
  story('a first session shows the host key, and the pin then fits', async ({ hosts, target }) => {
    const first = await hosts.open(target, signal);
    assert.match(first.hostKey, /^SHA256:[A-Za-z0-9+/]{43}$/);
    await first.close();
    const second = await hosts.open({ ...target, pinnedHostKey: first.hostKey }, signal);
    assert.equal(second.hostKey, first.hostKey);
    await second.close();
  });

  const refusals: readonly {
    readonly story: string;
    readonly change: (world: HostsContractWorld) => Partial<HostTarget>;
    readonly why: string;
  }[] = [
    { story: 'another pin', change: () => ({ pinnedHostKey: 'SHA256:other' }), why: 'denied HostKeyChanged' },
    {
      story: 'another private key',
      change: ({ foreignKey }) => ({ privateKey: foreignKey }),
      why: 'denied AuthenticationFailed',
    },
    { story: 'an address where nobody is', change: ({ nowhere }) => nowhere, why: 'unavailable HostUnreachable' },
  ];
  for (const { story: what, change, why } of refusals) {
    story(`${what} is refused as ${why}`, async (world) => {
      assert.equal(await outcome(world.hosts.open({ ...world.target, ...change(world) }, signal)), why);
    });
  }

  story('an aborted signal opens nothing', async ({ hosts, target }) => {
    assert.equal(await outcome(hosts.open(target, AbortSignal.abort())), 'cancelled Cancelled');
  });
};

const storiesOfSessions = (story: Story): void => {
  story('a session without a pin shows the key and runs nothing', async ({ hosts, target }) => {
    const session = await hosts.open(target, signal);
    assert.equal(await outcome(session.run(callOf('stop-agent', 'check'), signal)), 'bug HostKeyNotPinned');
    await session.close();
  });

  story('a closed session runs nothing', async (world) => {
    const { run, close } = await openSession(world);
    await close();
    assert.equal(await run('stop-agent', 'check'), 'bug SessionClosed');
  });

  story('a step that hangs ends with an abort, and the session goes on', async (world) => {
    const { run, session } = await openSession(world);
    world.breakNextCheck('stop-agent', 'hang');
    const controller = new AbortController();
    const hanging = outcome(session.run(callOf('stop-agent', 'check'), controller.signal));
    assert.equal(await run('first-look', 'check'), 'exit 1');
    controller.abort();
    assert.equal(await hanging, 'cancelled Cancelled');
    assert.equal(await run('stop-agent', 'check'), 'exit 0');
  });

  story(
    'a connection that breaks after the step is told as lost, and a new session finds the step done',
    async (world) => {
      const { run } = await openSession(world);
      world.breakNextCheck('stop-agent', 'lost-after');
      assert.equal(await run('stop-agent', 'check'), 'unavailable HostConnectionLost');
      const again = await openSession(world);
      assert.equal(await again.run('stop-agent', 'check'), 'exit 0');
    },
  );
};

const storiesOfTheFence = (story: Story): void => {
  story('without an epoch file the Mac takes no step that leaves something behind', async (world) => {
    const { run } = await openSession(world);
    assert.equal(await run('hostname', 'apply', { inputs: { nodeName: 'mac-1' } }), 'conflict NotFenced');
    assert.equal(await run('stop-agent', 'check'), 'exit 0');
  });

  story('a lower epoch is refused in every phase, an equal or higher one is taken', async (world) => {
    const { run } = await openSession(world);
    await firstLook(run, 5);
    for (const phase of ['check', 'apply', 'verify'] as const) {
      assert.equal(await run('sudo', phase, { epoch: 4 }), 'conflict StaleEpoch');
    }
    assert.equal(await run('sudo', 'check', { epoch: 5 }), 'exit 1');
    assert.equal(await run('sudo', 'check', { epoch: 9 }), 'exit 1');
    assert.equal(await run('sudo', 'check', { epoch: 8 }), 'conflict StaleEpoch');
  });

  story('the epoch outlives the session, and the refusal tells it', async (world) => {
    const earlier = await openSession(world);
    await firstLook(earlier.run, 5);
    await earlier.close();
    const { session } = await openSession(world);
    await assert.rejects(session.run(callOf('sudo', 'check', { epoch: 4 }), signal), (error) => {
      assert.ok(error instanceof FleetError);
      assert.equal(error.details['seen'], 5);
      return true;
    });
  });

  story('another claim finds out that the Mac was not wiped, whatever its epoch', async (world) => {
    const { run } = await openSession(world);
    await firstLook(run, 5);
    for (const epoch of [1, 5, 99]) {
      const other = { epoch, inputs: { claim: 'somebody else' } };
      assert.equal(await run('first-look', 'check', other), 'conflict NotWiped');
      assert.equal(await run('first-look', 'apply', other), 'conflict NotWiped');
    }
    assert.equal(await run('first-look', 'check', { epoch: 5, inputs: { claim: 'ours' } }), 'exit 0');
  });
};

const storiesOfSteps = (story: Story): void => {
  story('a step is not there, is applied, and is there; again changes nothing', async (world) => {
    const { run } = await openSession(world);
    await firstLook(run, 1);
    const more = { secrets: { sudoPassword: world.sudoPassword } };
    assert.equal(await run('sudo', 'check', more), 'exit 1');
    for (const _ of [1, 2]) {
      assert.equal(await run('sudo', 'apply', more), 'exit 0');
      assert.equal(await run('sudo', 'verify', more), 'exit 0');
    }
  });

  story('a wrong password is an answer with an exit code, and is not in it', async (world) => {
    const { run, answers } = await openSession(world);
    await firstLook(run, 1);
    assert.equal(await run('sudo', 'apply', { secrets: { sudoPassword: new Secret(CANARY) } }), 'exit 1');
    assert.ok(!JSON.stringify(answers).includes(CANARY));
  });

  story('no secret comes back in any answer', async (world) => {
    const { run, answers } = await openSession(world);
    await firstLook(run, 1);
    const secrets = { sudoPassword: world.sudoPassword, kubeconfig: new Secret(CANARY) };
    for (const step of ['sudo', 'auto-login', 'kubeconfig']) {
      for (const phase of ['check', 'apply', 'verify'] as const) await run(step, phase, { secrets });
    }
    assert.equal(answers.at(-1)?.exitCode, 0);
    const text = JSON.stringify(answers);
    assert.ok(!text.includes(CANARY) && !text.includes(world.sudoPassword.reveal()));
  });

  story('inputs and secrets arrive as they are, whatever a shell would make of them', async (world) => {
    const { run } = await openSession(world);
    await firstLook(run, 1);
    await run('sudo', 'apply', { secrets: { sudoPassword: world.sudoPassword } });
    const nodeName = "it's $(id) `id` \\ \n *=";
    assert.equal(await run('hostname', 'apply', { inputs: { nodeName } }), 'exit 0');
    assert.equal(await run('hostname', 'check', { inputs: { nodeName } }), 'exit 0');
    assert.equal(await run('hostname', 'check', { inputs: { nodeName: `${nodeName} ` } }), 'exit 1');
    const kubeconfig = new Secret('a: b\n\n  \u00fc: "c d"\n');
    assert.equal(await run('kubeconfig', 'apply', { secrets: { kubeconfig } }), 'exit 0');
    assert.equal(await run('kubeconfig', 'check', { secrets: { kubeconfig } }), 'exit 0');
    const shorter = new Secret(kubeconfig.reveal().trimEnd());
    assert.equal(await run('kubeconfig', 'check', { secrets: { kubeconfig: shorter } }), 'exit 1');
  });

  story('a step that does not exist is an answer with an exit code', async (world) => {
    const { run } = await openSession(world);
    await firstLook(run, 1);
    assert.equal(await run('no-such-step', 'check'), 'exit 127');
  });
};

type Run = (step: string, phase: StepPhase, more?: Partial<StepCall>) => Promise<string>;

interface OpenSession {
  /** `exit <code>`, or kind and code of the error. */
  readonly run: Run;
  readonly answers: readonly StepAnswer[];
  readonly session: HostSession;
  close(): Promise<void>;
}

/** Pinned, as the port wants it. */
const openSession = async ({ hosts, target }: HostsContractWorld): Promise<OpenSession> => {
  const look = await hosts.open(target, signal);
  await look.close();
  const session = await hosts.open({ ...target, pinnedHostKey: look.hostKey }, signal);
  const answers: StepAnswer[] = [];
  const run: Run = async (step, phase, more) => {
    const answer = session.run(callOf(step, phase, more), signal).then((given) => {
      answers.push(given);
      return given;
    });
    const what = await outcome(answer);
    return what === 'answered' ? `exit ${answers.at(-1)?.exitCode}` : what;
  };
  return { run, answers, session, close: session.close };
};

const callOf = (step: string, phase: StepPhase, more: Partial<StepCall> = {}): StepCall => ({
  ...{ step, phase, epoch: 1, inputs: {}, secrets: {} },
  ...more,
});

const firstLook = async (run: Run, epoch: number): Promise<void> => {
  const more = { epoch, inputs: { claim: 'ours' } };
  assert.equal(await run('first-look', 'check', more), 'exit 1');
  assert.equal(await run('first-look', 'apply', more), 'exit 0');
  assert.equal(await run('first-look', 'verify', more), 'exit 0');
};

const outcome = async (call: Promise<unknown>): Promise<string> => {
  try {
    await call;
    return 'answered';
  } catch (error) {
    return error instanceof FleetError ? `${error.kind} ${error.code}` : String(error);
  }
};
