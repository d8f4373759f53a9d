/**
 * What every implementation of the Hosts port does, as tests: the simulated Macs in both their forms run them, and the SSH
 * adapter against simulated Macs behind a real SSH port.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { Artefact, Batch, BatchAnswer, HostSession, Hosts, HostTarget, StepCall } from '../port.ts';

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
  storiesOfSecrets(story);
  storiesOfBatches(story);
  storiesOfStages(story);
  storiesOfUploads(story);
};

type Story = (sentence: string, body: (world: HostsContractWorld) => Promise<void>) => void;

const storiesOfConnecting = (story: Story): void => {
  story('T-73: a first session shows the host key, and the pin then fits', async ({ hosts, target }) => {
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
    { story: 'T-73: another pin', change: () => ({ pinnedHostKey: 'SHA256:other' }), why: 'denied HostKeyChanged' },
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
  story('a session without a pin shows the key, runs nothing and takes no file', async ({ hosts, target }) => {
    const session = await hosts.open(target, signal);
    assert.equal(await outcome(session.run(batchOf([callOf('stop-agent')]), signal)), 'bug HostKeyNotPinned');
    assert.equal(await outcome(session.upload([artefactOf('file')], signal)), 'bug HostKeyNotPinned');
    await session.close();
  });

  story('a closed session runs nothing and takes no file', async (world) => {
    const { run, session, close } = await openSession(world);
    await close();
    assert.equal(await run(callOf('stop-agent')), 'bug SessionClosed');
    assert.equal(await outcome(session.upload([artefactOf('file')], signal)), 'bug SessionClosed');
  });

  story('a step that hangs ends with an abort, and the session goes on', async (world) => {
    const { run, session } = await openSession(world);
    world.breakNextCheck('stop-agent', 'hang');
    const controller = new AbortController();
    const hanging = outcome(session.run(batchOf([callOf('stop-agent')]), controller.signal));
    assert.equal(await run(callOf('first-look', { inputs: { claim: 'ours' } })), 'check 1');
    controller.abort();
    assert.equal(await hanging, 'cancelled Cancelled');
    assert.equal(await run(callOf('stop-agent')), 'check 0');
  });

  story(
    'a connection that breaks after the step is told as lost, and a new session finds the step done',
    async (world) => {
      const { run } = await openSession(world);
      world.breakNextCheck('stop-agent', 'lost-after');
      assert.equal(await run(callOf('stop-agent')), 'unavailable HostConnectionLost');
      const again = await openSession(world);
      assert.equal(await again.run(callOf('stop-agent')), 'check 0');
    },
  );
};

const storiesOfTheFence = (story: Story): void => {
  story('without a fence the Mac takes no step that leaves something behind', async (world) => {
    const { run } = await openSession(world);
    assert.equal(await run(converge('hostname', { inputs: { nodeName: 'mac-1' } })), 'conflict NotFenced');
    assert.equal(await run(converge('stop-agent')), 'check 0');
  });

  story('a lower epoch is refused whatever is asked, an equal or higher one is taken', async (world) => {
    const { run } = await openSession(world);
    await firstLook(run, 5);
    for (const what of ['check', 'converge', 'verify'] as const) {
      assert.equal(await run(callOf('sudo', { do: what }), { epoch: 4 }), 'conflict StaleEpoch');
    }
    assert.equal(await run(callOf('sudo'), { epoch: 5 }), 'check 1');
    assert.equal(await run(callOf('sudo'), { epoch: 9 }), 'check 1');
    assert.equal(await run(callOf('sudo'), { epoch: 8 }), 'conflict StaleEpoch');
  });

  story('the epoch outlives the session, and the refusal tells it', async (world) => {
    const earlier = await openSession(world);
    await firstLook(earlier.run, 5);
    await earlier.close();
    const { session } = await openSession(world);
    await assert.rejects(session.run(batchOf([callOf('sudo')], { epoch: 4 }), signal), (error) => {
      assert.ok(error instanceof FleetError);
      assert.equal(error.details['seen'], 5);
      return true;
    });
  });

  story('another claim finds out that the Mac was not wiped, whatever its epoch', async (world) => {
    const { run } = await openSession(world);
    await firstLook(run, 5);
    for (const epoch of [1, 5, 99]) {
      const inputs = { claim: 'somebody else' };
      assert.equal(await run(callOf('first-look', { inputs }), { epoch }), 'conflict NotWiped');
      assert.equal(await run(converge('first-look', { inputs }), { epoch }), 'conflict NotWiped');
    }
    assert.equal(await run(callOf('first-look', { inputs: { claim: 'ours' } }), { epoch: 5 }), 'check 0');
  });

  story(
    'whoever holds the lock keeps others from changing the Mac, not from looking, until it is released',
    async (w) => {
      const { run } = await openSession(w);
      await firstLook(run, 1);
      const stop = converge('stop-agent');
      assert.equal(await run(stop, { lock: { owner: 'ours', afterwards: 'keep' } }), 'check 0');
      assert.equal(await run(stop, { lock: { owner: 'theirs', afterwards: 'keep' } }), 'conflict HostBusy');
      assert.equal(await run(stop), 'conflict HostBusy');
      assert.equal(await run(callOf('stop-agent')), 'check 0');
      assert.equal(await run(stop, { lock: { owner: 'ours', afterwards: 'release' } }), 'check 0');
      assert.equal(await run(stop, { lock: { owner: 'theirs', afterwards: 'release' } }), 'check 0');
    },
  );
};

const APPLIED = 'check 1, apply 0, verify 0';

const storiesOfStages = (story: Story): void => {
  const name = callOf('hostname', { do: 'converge', inputs: { nodeName: 'mac-1' }, digest: 'd1' });
  const stages = (sudoPassword: Secret<string>): readonly StepCall[] => [
    converge('sudo', { secrets: { sudoPassword } }),
    { ...name, stage: 1 },
    { ...callOf('stop-agent'), stage: 3 },
  ];
  const seen = async (world: HostsContractWorld, password: Secret<string>): Promise<readonly string[]> => {
    const { run, session } = await openSession(world);
    await firstLook(run, 1);
    const { steps } = await session.run(batchOf(stages(password)), signal);
    return steps.map(phasesOf);
  };

  story('a stage finds what the one before it did', async (world) => {
    assert.deepEqual(await seen(world, world.sudoPassword), [APPLIED, APPLIED, 'check 0']);
  });

  story('a stage that fails is the last: what comes after it is not even looked at', async (world) => {
    assert.deepEqual(await seen(world, new Secret('wrong')), ['check 1, apply 77', '', '']);
  });
};

const storiesOfSteps = (story: Story): void => {
  story('a step is not there, is applied and recorded, and is there; again changes nothing', async (world) => {
    const { run, answers } = await openSession(world);
    await firstLook(run, 1);
    const sudo = { secrets: { sudoPassword: world.sudoPassword }, digest: 'd1' };
    assert.equal(await run(callOf('sudo', sudo)), 'check 1');
    assert.equal(recordedIn(answers), undefined);
    assert.equal(await run(converge('sudo', sudo)), APPLIED);
    assert.equal(recordedIn(answers), 'd1');
    assert.equal(await run(converge('sudo', sudo)), 'check 0');
    assert.equal(await run(callOf('sudo', sudo)), 'check 0');
    assert.equal(recordedIn(answers), 'd1');
  });

  story('a step that is recorded under another digest is applied again, or verified as it is', async (world) => {
    const { run, answers } = await openSession(world);
    await firstLook(run, 1);
    const sudo = { secrets: { sudoPassword: world.sudoPassword }, digest: 'd1' };
    await run(converge('sudo', sudo));
    assert.equal(await run(converge('sudo', { ...sudo, digest: 'd2' })), 'check 0, apply 0, verify 0');
    assert.equal(recordedIn(answers), 'd2');
    assert.equal(await run(callOf('sudo', { do: 'verify', digest: 'd3' })), 'verify 0');
    assert.equal(recordedIn(answers), 'd3');
  });

  story('a step that does not exist is an answer with an exit code', async (world) => {
    const { run } = await openSession(world);
    await firstLook(run, 1);
    assert.equal(await run(callOf('no-such-step')), 'check 127');
  });
};

const storiesOfSecrets = (story: Story): void => {
  story(
    'a wrong password is an answer with an exit code of its own, is recorded by nobody, and is not in it',
    async (w) => {
      const { run, answers } = await openSession(w);
      await firstLook(run, 1);
      const secrets = { sudoPassword: new Secret(CANARY) };
      assert.equal(await run(converge('sudo', { secrets, digest: 'd1' })), 'check 1, apply 77');
      assert.equal(recordedIn(answers), undefined);
      assert.ok(!JSON.stringify(answers).includes(CANARY));
    },
  );

  story('no secret comes back in any answer', async (world) => {
    const { run, answers } = await openSession(world);
    await firstLook(run, 1);
    const secrets = { sudoPassword: world.sudoPassword, kubeconfig: new Secret(CANARY) };
    for (const step of ['sudo', 'auto-login', 'kubeconfig'])
      assert.equal(await run(converge(step, { secrets })), APPLIED);
    const text = JSON.stringify(answers);
    assert.ok(!text.includes(CANARY) && !text.includes(world.sudoPassword.reveal()));
  });

  story('secrets arrive as they are, whatever a shell would make of them', async (world) => {
    const { run } = await openSession(world);
    await firstLook(run, 1);
    await run(converge('sudo', { secrets: { sudoPassword: world.sudoPassword } }));
    const kubeconfig = new Secret('a: b\n\n  \u00fc: "c d" $(id) `id` \\ \'\n');
    assert.equal(await run(converge('kubeconfig', { secrets: { kubeconfig } })), APPLIED);
    assert.equal(await run(callOf('kubeconfig', { secrets: { kubeconfig } })), 'check 0');
    const shorter = new Secret(kubeconfig.reveal().trimEnd());
    assert.equal(await run(callOf('kubeconfig', { secrets: { kubeconfig: shorter } })), 'check 1');
  });
};

const storiesOfBatches = (story: Story): void => {
  story('a batch answers for every call in the order of the calls, and tells what the Mac is', async (world) => {
    const { session } = await openSession(world);
    const calls = [callOf('hostname', { inputs: { nodeName: 'mac-1' } }), callOf('stop-agent')];
    const unfenced = await session.run(batchOf(calls), signal);
    assert.deepEqual(unfenced.facts, { epoch: undefined, lockOwner: undefined, artefacts: [] });
    assert.deepEqual(
      unfenced.steps.map(({ step }) => step),
      ['hostname', 'stop-agent'],
    );
    const lock = { owner: 'ours', afterwards: 'keep' } as const;
    const look = converge('first-look', { inputs: { claim: 'ours' } });
    await session.run(batchOf([look], { epoch: 7, lock }), signal);
    const { facts } = await session.run(batchOf(calls, { epoch: 7 }), signal);
    assert.deepEqual(facts, { epoch: 7, lockOwner: 'ours', artefacts: [] });
  });

  story('first-look makes the fence for the other calls of its batch, wherever it stands', async (world) => {
    const { run, session } = await openSession(world);
    const sudo = converge('sudo', { secrets: { sudoPassword: world.sudoPassword } });
    const look = converge('first-look', { inputs: { claim: 'ours' } });
    const { steps } = await session.run(batchOf([sudo, look]), signal);
    assert.deepEqual(steps.map(phasesOf), [APPLIED, APPLIED]);
    assert.equal(await run(callOf('sudo')), 'check 0');
  });

  story('a first-look that refuses keeps all other calls of its batch from running', async (world) => {
    const { run, session } = await openSession(world);
    await firstLook(run, 1);
    const look = converge('first-look', { inputs: { claim: 'somebody else' } });
    const sudo = converge('sudo', { secrets: { sudoPassword: world.sudoPassword } });
    assert.equal(await outcome(session.run(batchOf([look, sudo]), signal)), 'conflict NotWiped');
    assert.equal(await run(callOf('sudo')), 'check 1');
  });

  story('a step gets no value of another', async (world) => {
    const { session } = await openSession(world);
    await firstLook(async (call) => outcomeOfBatch(session.run(batchOf([call]), signal)), 1);
    const sudo = converge('sudo', { secrets: { sudoPassword: world.sudoPassword } });
    await session.run(batchOf([sudo]), signal);
    const calls = [converge('kubeconfig'), callOf('auto-login', { secrets: { kubeconfig: new Secret(CANARY) } })];
    const { steps } = await session.run(batchOf(calls), signal);
    assert.notEqual(steps[0]?.phases.at(-1)?.exitCode, 0);
  });
};

const storiesOfUploads = (story: Story): void => {
  story('uploads are there under their checksums from then on', async (world) => {
    const { session } = await openSession(world);
    const artefacts = ['a file\n'.repeat(10_000), 'another', ''].map(artefactOf);
    await session.upload(artefacts, signal);
    const { facts } = await session.run(batchOf([callOf('stop-agent')]), signal);
    assert.deepEqual(facts.artefacts, artefacts.map(({ sha256 }) => sha256).sort());
  });

  story('a file that differs from its checksum is refused, and is not there', async (world) => {
    const { session } = await openSession(world);
    const right = artefactOf('right');
    const wrong = { ...artefactOf('a file'), sha256: artefactOf('another').sha256 };
    assert.equal(await outcome(session.upload([right, wrong], signal)), 'unavailable UploadDamaged');
    const { facts } = await session.run(batchOf([callOf('stop-agent')]), signal);
    assert.deepEqual(facts.artefacts, [right.sha256]);
  });
};

const artefactOf = (content: string): Artefact => ({
  name: 'file',
  sha256: createHash('sha256').update(content).digest('hex'),
  sizeBytes: content.length,
  async *open() {
    yield Buffer.from(content);
  },
});

type Run = (call: StepCall, more?: Partial<Batch>) => Promise<string>;

interface OpenSession {
  /** The phases with their exits, or kind and code of the error. */
  readonly run: Run;
  readonly answers: readonly BatchAnswer[];
  readonly session: HostSession;
  close(): Promise<void>;
}

/** Pinned, as the port wants it. */
const openSession = async ({ hosts, target }: HostsContractWorld): Promise<OpenSession> => {
  const look = await hosts.open(target, signal);
  await look.close();
  const session = await hosts.open({ ...target, pinnedHostKey: look.hostKey }, signal);
  const answers: BatchAnswer[] = [];
  const run: Run = (call, more) =>
    outcomeOfBatch(
      session.run(batchOf([call], more), signal).then((answer) => {
        answers.push(answer);
        return answer;
      }),
    );
  return { run, answers, session, close: session.close };
};

const callOf = (step: string, more: Partial<StepCall> = {}): StepCall => ({
  ...{ step, do: 'check', inputs: {}, secrets: {}, digest: '' },
  ...more,
});

const converge = (step: string, more: Partial<StepCall> = {}): StepCall => callOf(step, { do: 'converge', ...more });

const batchOf = (calls: readonly StepCall[], more: Partial<Batch> = {}): Batch => ({
  ...{ epoch: 1, calls, timeoutMs: 60_000 },
  ...more,
});

const firstLook = async (run: Run, epoch: number): Promise<void> => {
  assert.equal(await run(converge('first-look', { inputs: { claim: 'ours' } }), { epoch }), APPLIED);
};

const recordedIn = (answers: readonly BatchAnswer[]): string | undefined => answers.at(-1)?.steps[0]?.recorded;

const phasesOf = ({ phases }: BatchAnswer['steps'][number]): string =>
  phases.map(({ phase, exitCode }) => `${phase} ${exitCode}`).join(', ');

const outcomeOfBatch = async (batch: Promise<BatchAnswer>): Promise<string> => {
  const what = await outcome(batch);
  return what === 'answered' ? (await batch).steps.map(phasesOf).join('; ') : what;
};

const outcome = async (call: Promise<unknown>): Promise<string> => {
  try {
    await call;
    return 'answered';
  } catch (error) {
    return error instanceof FleetError ? `${error.kind} ${error.code}` : String(error);
  }
};
