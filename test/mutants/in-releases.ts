/** Defects around giving a Mac back. */
import type { Mutant } from './mutant.ts';

const RELEASE = 'src/provider/host/plan-release.ts';
const LIFE = 'src/provider/host/host-life.ts';
const CARRY_OUT = 'src/provider/host/carry-out.ts';
const RELEASE_HOST = 'src/provider/machine/release-host.ts';
const OBSERVE = 'src/provider/host/observe-host.ts';

export const IN_RELEASES: readonly Mutant[] = [
  {
    id: 'M6',
    story: "an error of the reinstall clears the record, and the Mac is nobody's",
    killedBy: ['S1', 'L3', 'S3', 'S13'],
    budget: 5,
    edits: [
      {
        file: CARRY_OUT,
        from: 'const server = await ports.cloud.reinstallServer(refOf(host), image, permitEffect(deps, task));',
        to: `let server;
  try {
    server = await ports.cloud.reinstallServer(refOf(host), image, permitEffect(deps, task));
  } catch {
    return wait(0, { spec: { claimRef: undefined, assignedName: undefined, release: undefined } });
  }`,
      },
    ],
  },
  {
    id: 'M7',
    story: 'a Mac without a pool and without an order of ours is wiped when its machine goes',
    killedBy: ['S11', 'S4'],
    budget: 5,
    edits: [
      { file: LIFE, from: "if (spec.pool === undefined && !spec.ordered) return 'held';", to: '' },
      {
        file: LIFE,
        from: "if (spec.pool === undefined || spec.release?.policy === 'terminate') return 'terminating';",
        to: "if (spec.release?.policy === 'terminate') return 'terminating';",
      },
    ],
  },
  {
    id: 'M12',
    story: 'the refusal of an early deletion is understood in its typed shape only',
    killedBy: ['L3'],
    budget: 5,
    edits: [{ file: 'src/scaleway/wire-errors.ts', from: "412: 'precondition_failed',", to: '' }],
  },
  {
    id: 'M13',
    story: 'the refusal of an early deletion is understood in its generic shape only',
    killedBy: ['L3'],
    budget: 5,
    edits: [
      {
        file: 'src/scaleway/wire-errors.ts',
        from: 'if (typed !== undefined) return typed;',
        to: "if (typed?.code === 'PreconditionFailed') return STRANGE;\n  if (typed !== undefined) return typed;",
      },
    ],
  },
  {
    id: 'M14',
    story: 'a Mac of a pool is deleted at Scaleway when its machine goes',
    killedBy: ['S4'],
    budget: 5,
    edits: [
      {
        file: LIFE,
        from: "spec.pool === undefined || spec.release?.policy === 'terminate'",
        to: 'spec.release !== undefined',
      },
    ],
  },
  {
    id: 'M15',
    story: 'a Mac goes back to the pool as it is, without a wipe',
    killedBy: ['S3', 'S13'],
    budget: 5,
    edits: [
      {
        file: RELEASE,
        from: "if (server?.status === 'reinstalling' && isWipeRequested(spec)) return acceptWipe(view);",
        to: 'if (server !== undefined) return { do: "store", spec: { ...seenAs(server, spec), ...acceptWipe({ ...view, spec: { ...spec, reinstall: { intentID: spec.release?.intentID ?? "", requestedAt: spec.release?.requestedAt ?? "" } } }).spec } };',
      },
    ],
  },
  {
    id: 'M18',
    story: 'a server that is gone is an error for ever, and its record stays',
    killedBy: ['L2', 'L3', 'L4'],
    budget: 5,
    edits: [{ file: OBSERVE, from: 'if (isUnseen(error)) return { server: undefined, atMs: beganMs };', to: '' }],
  },
  {
    id: 'M31',
    story: 'a machine goes without asking for the release of its Mac, which nobody gets any more',
    killedBy: ['L3', 'L2'],
    budget: 5,
    edits: [
      {
        file: RELEASE_HOST,
        from: 'reason === undefined ? await askForRelease(deps, machine, task) : await holdBack',
        to: "reason === undefined ? { type: 'Normal', reason: 'Released', message: '' } : await holdBack",
      },
    ],
  },
  {
    id: 'N1',
    story: 'a Mac gets its pool name before it is wiped',
    killedBy: ['S2', 'S3', 'S13'],
    budget: 5,
    edits: [
      {
        file: RELEASE,
        from: "to: renderServerName({ kind: 'releasing', clusterId, uuid: view.uuid() }),",
        to: "to: renderServerName({ kind: 'pool', prefix: spec.pool?.prefix ?? clusterId, rest: view.uuid() }),",
      },
      {
        file: RELEASE,
        from: "const isReleasing = (name: string): boolean => parseServerName(name, [])?.kind === 'releasing';",
        to: "const isReleasing = (name: string): boolean => name.startsWith('tuist-pool-');",
      },
    ],
  },
  {
    id: 'N2',
    story: 'a server that is busy with something else counts as being wiped',
    killedBy: ['S3', 'S13'],
    budget: 5,
    edits: [
      {
        file: CARRY_OUT,
        from: 'const server = await ports.cloud.reinstallServer(refOf(host), image, permitEffect(deps, task));',
        to: `let server: { readonly status: string };
  try {
    server = await ports.cloud.reinstallServer(refOf(host), image, permitEffect(deps, task));
  } catch (error) {
    if (!isAsGoodAsRebooted(error)) throw error;
    server = { status: 'reinstalling' };
  }`,
      },
      {
        file: RELEASE,
        from: "if (server?.status !== 'ready') return { do: 'wait', afterMs: times.pollMs };\n  if (isWipeRequested",
        to: 'if (server === undefined) return { do: "wait", afterMs: times.pollMs };\n  if (isWipeRequested',
      },
    ],
  },
  {
    id: 'R12',
    story: 'any server that is not ready counts as being wiped',
    killedBy: ['S3', 'S13'],
    budget: 5,
    edits: [
      {
        file: RELEASE,
        from: "if (server?.status === 'reinstalling' && isWipeRequested(spec)) return acceptWipe(view);",
        to: "if (server !== undefined && server.status !== 'ready') return { do: 'store', spec: { ...seenAs(server, spec), ...acceptWipe({ ...view, spec: { ...spec, reinstall: { intentID: spec.release?.intentID ?? '', requestedAt: spec.release?.requestedAt ?? '' } } }).spec } };",
      },
    ],
  },
  {
    id: 'R13',
    story: 'a host is claimable right after a request was sent to it, and requests are sent on an old look',
    killedBy: ['S2', 'S8', 'S7'],
    budget: 5,
    edits: [
      {
        file: CARRY_OUT,
        from: 'if (ports.clock.elapsed() - look.atMs < LOOK_GOOD_FOR_MS) {\n    return { signal: context.signal, sendBeforeMs: look.atMs + LOOK_GOOD_FOR_MS };',
        to: 'if (look.atMs > 0) {\n    return { signal: context.signal, sendBeforeMs: Number.MAX_SAFE_INTEGER };',
      },
      { file: CARRY_OUT, from: '  context.permit();\n', to: '' },
      {
        file: 'src/provider/host/plan-host.ts',
        from: '(lastWriteMs === undefined || nowMs - lastWriteMs >= times.quietMs)',
        to: '(lastWriteMs === undefined || nowMs >= lastWriteMs)',
      },
      {
        file: 'src/provider/host/recorded-write.ts',
        from: ' && nowMs - (parseTimestamp(spec.lastWrite.at) ?? 0) < times.recordMaxAgeMs',
        to: ' && nowMs >= (parseTimestamp(spec.lastWrite.at) ?? 0) && times.recordMaxAgeMs > 0',
      },
    ],
  },
  {
    id: 'R14',
    story: 'the Node of a Mac that was wiped stays',
    killedBy: ['L2', 'S14', 'L16', 'L4', 'S10'],
    budget: 5,
    edits: [
      {
        file: RELEASE,
        from: "if (node === 'there') return { do: 'delete-node' };",
        to: "if (node === 'there' && next !== undefined && next === '') return { do: 'delete-node' };",
      },
      {
        file: 'src/provider/host/host-controller.ts',
        from: "const left = state === 'free' ? nodeOf(deps.caches, host) : undefined;",
        to: "const left = state === 'free' && host.metadata.name === '' ? nodeOf(deps.caches, host) : undefined;",
      },
    ],
  },
];
