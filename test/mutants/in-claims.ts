/** Defects around choosing and claiming a Mac. */
import type { Mutant } from './mutant.ts';

const CHOOSE = 'src/provider/machine/choose-host.ts';
const MACHINE = 'src/provider/machine/machine-controller.ts';
const INVENTORY = 'src/provider/host/plan-inventory.ts';
const CARRY_OUT = 'src/provider/host/carry-out.ts';
const RECORD = 'src/provider/host/host-record.ts';

export const IN_CLAIMS: readonly Mutant[] = [
  {
    id: 'N3',
    story: 'what a list said is believed: nobody looks at the server again before renaming it',
    killedBy: ['S1', 'S2', 'S8', 'S11', 'S13'],
    budget: 20,
    edits: [
      {
        file: 'src/provider/host/observe-host.ts',
        from: 'return { server, atMs: server.askedAtMs };',
        to: `const listed = (await cloud.listServers(refOf(host).zone, signal)).find(({ id }) => id === host.metadata.name);
    const believed = listed === undefined ? {} : { name: listed.name, status: listed.status };
    return { server: { ...server, ...believed }, atMs: clock.elapsed() };`,
      },
    ],
  },
  {
    id: 'N5',
    story: 'a claim whose rename was answered with an error is dropped, and its pending name stays for ever',
    killedBy: ['L3', 'L1', 'L4'],
    budget: 5,
    edits: [
      {
        file: CARRY_OUT,
        from: '      return rename(deps, task, plan);',
        to: `      return rename(deps, task, plan).catch(() =>
        wait(0, { spec: { claimRef: undefined, assignedName: undefined } }),
      );`,
      },
    ],
  },
  {
    id: 'N6',
    story: 'a machine is worked for before its finalizer is stored',
    killedBy: ['S6', 'L3'],
    budget: 5,
    edits: [
      {
        file: 'src/kube/controller/lifecycle.ts',
        from: 'const held = finalizer === undefined ? found : await',
        to: "const held = finalizer === undefined || finalizer.startsWith('scalewayapplesilicon') ? found : await",
      },
    ],
  },
  {
    id: 'R3',
    story: 'a pool-named Mac that a machine has is put on record as free',
    killedBy: ['S13', 'S1', 'S2', 'S3'],
    budget: 5,
    edits: [
      {
        file: INVENTORY,
        from: 'if (owner !== undefined) return owners.length === 1 ? lifeWithOwner(view, server, owner) : undefined;',
        to: 'if (owner !== undefined && name?.kind !== "pool") return owners.length === 1 ? lifeWithOwner(view, server, owner) : undefined;',
      },
    ],
  },
  {
    id: 'R5',
    story: 'the claim is written without looking whether somebody else was first',
    killedBy: ['S1', 'S2'],
    budget: 5,
    edits: [
      {
        file: RECORD,
        from: 'const body = { metadata: { uid, resourceVersion }, spec };',
        to: 'const body = { metadata: { uid }, spec };',
      },
      {
        file: 'src/kinds/mac-host-spec.ts',
        from: "rule: 'self == oldSelf',\n        message: 'a claim",
        to: "rule: 'self == self',\n        message: 'a claim",
      },
      {
        file: MACHINE,
        from: 'if (host === undefined || !isFreeFor(machine, host) || !isFirst) {',
        to: 'if (host === undefined) {',
      },
      { file: MACHINE, from: 'if (rivals.length > 1)', to: 'if (rivals.length === 0)' },
    ],
  },
  {
    id: 'R6',
    story: 'machines of two namespaces with one name both get a Mac, and both are the same Node',
    killedBy: ['S10', 'S9'],
    budget: 5,
    edits: [
      {
        file: CHOOSE,
        from: 'return namespace === undefined ? undefined : refuseName(namespace);',
        to: 'return undefined;',
      },
      {
        file: 'src/provider/machine/find-namesake.ts',
        from: 'if (machine?.status?.nodeRef?.name === name) return namespace;',
        to: "if (machine?.status?.nodeRef?.name === '') return namespace;",
      },
    ],
  },
  {
    id: 'R7',
    story: 'the final name is given at once, without holding the pending one',
    killedBy: ['S1', 'S10', 'S2', 'S11'],
    budget: 5,
    edits: [
      {
        file: 'src/provider/host/plan-claim.ts',
        from: '(parseTimestamp(since) ?? nowMs) + times.claimHoldMs - nowMs;',
        to: '(parseTimestamp(since) ?? nowMs) - times.claimHoldMs - nowMs;',
      },
    ],
  },
  {
    id: 'R8',
    story: 'a server that has another name than the record says is worked on nevertheless',
    killedBy: ['S2', 'S8', 'S4', 'S11'],
    budget: 5,
    edits: [
      {
        file: 'src/provider/host/host-life.ts',
        from: "if (!isExpected) return 'foreign';",
        to: "if (!isExpected) return 'machine';",
      },
    ],
  },
];
