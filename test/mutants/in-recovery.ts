/** Defects around bootstraps, their failures and their secrets. */
import type { Mutant } from './mutant.ts';

const RECOVERY = 'src/provider/host/plan-recovery.ts';
const RELEASE = 'src/provider/host/plan-release.ts';
const PASSWORD = 'src/scaleway/password.ts';
const PREPARER = 'src/hosts/host-preparer.ts';
const PREPARE = 'src/provider/host/prepare-host.ts';

export const IN_RECOVERY: readonly Mutant[] = [
  {
    id: 'M1',
    story: 'a sealed password is taken for a password',
    killedBy: ['S16'],
    budget: 5,
    edits: [
      { file: PASSWORD, from: 'isUsable(sudoPassword) ? sudoPassword', to: "sudoPassword !== '' ? sudoPassword" },
      { file: PASSWORD, from: 'return isUsable(shown) ? new', to: "return shown !== '' ? new" },
    ],
  },
  {
    id: 'M2',
    story: 'a sealed password inside the address of the screen is taken for a password',
    killedBy: ['S16'],
    budget: 5,
    edits: [{ file: PASSWORD, from: 'return isUsable(shown) ? new', to: "return shown !== '' ? new" }],
  },
  {
    id: 'M4',
    story: 'a Mac that keeps failing is tried for ever',
    killedBy: ['L6'],
    budget: 5,
    edits: [{ file: RECOVERY, from: "if (failures === 0) return 'retry';", to: "if (failures >= 0) return 'retry';" }],
  },
  {
    id: 'M5',
    story: 'a reboot that Scaleway refused uses up the one reboot',
    killedBy: ['L6'],
    budget: 5,
    edits: [
      {
        file: 'src/provider/host/carry-out.ts',
        from: "const isRefused = !isKind(error, 'unavailable', 'contract') && why === 'recovery';",
        to: "const isRefused = isKind(error, 'unavailable') && why === undefined;",
      },
    ],
  },
  {
    id: 'M8',
    story: 'a threshold of 0 does not turn a tier off',
    killedBy: ['S12'],
    budget: 5,
    edits: [
      {
        file: RECOVERY,
        from: 'const isPastFirst = rebootAfter > 0 && failures >= rebootAfter;',
        to: 'const isPastFirst = failures >= rebootAfter;',
      },
      { file: RECOVERY, from: '(releaseAfter > 0 && failures >= releaseAfter)', to: 'failures >= releaseAfter' },
    ],
  },
  {
    id: 'M27',
    story: 'the wanted configuration is recorded as the one on the Mac before it was verified there',
    killedBy: ['S21'],
    budget: 5,
    edits: [
      {
        file: PREPARER,
        from: `        throw preparation !== given && isPasswordMissing(error) ? passwordRefusedBefore() : error;
      });
      return { digest: digests.fleet };`,
        to: `        return error;
      });
      return { digest: digests.fleet };`,
      },
    ],
  },
  {
    id: 'N7',
    story: 'the error of a bootstrap carries what was sent to the Mac',
    killedBy: ['S18'],
    budget: 5,
    edits: [
      {
        file: PREPARER,
        from: '    throw error;',
        to: `    const message = ['echo', password?.reveal(), '| sudo -S:', String(error)].join(' ');
    throw new FleetError('unavailable', { code: 'BootstrapFailed', message });`,
      },
    ],
  },
  {
    id: 'N11',
    story: 'a machine that was provisioned gets another Mac under the same name',
    killedBy: ['S9'],
    budget: 5,
    edits: [
      {
        file: RECOVERY,
        from: 'if (view.isProvisioned) {',
        to: 'if (view.isProvisioned && view.spec.pool === undefined) {',
      },
      {
        file: 'src/provider/machine/judge-host.ts',
        from: "wasProvisioned(machine) ? 'replace' : 'swap'",
        to: "machine.status === undefined ? 'replace' : 'swap'",
      },
      {
        file: 'src/provider/machine/choose-host.ts',
        from: 'if (machine.spec.providerID) {',
        to: 'if (machine.spec.providerID && machine.status === undefined) {',
      },
      {
        file: 'src/provider/machine/machine-controller.ts',
        from: "if (choice.kind !== 'known' && isDetached(machine))",
        to: "if (choice.kind !== 'known' && machine.status === undefined)",
      },
    ],
  },
  {
    id: 'N16',
    story: 'the host key of the last life of a Mac is kept over its wipe',
    killedBy: ['L6', 'L1', 'S17'],
    budget: 5,
    edits: [{ file: RELEASE, from: '    hostKey: undefined,\n', to: '' }],
  },
  {
    id: 'R9',
    story: 'a Mac that bears the marks of another claim is used as it is',
    killedBy: ['S3', 'S2', 'S14'],
    budget: 5,
    edits: [
      { file: 'src/sim/mac/mac-fence.ts', from: "throw notWiped('it works for another claim');", to: 'return;' },
      {
        file: 'src/sim/mac/mac-fence.ts',
        from: `throw notWiped("it has an agent's kubeconfig");`,
        to: 'disk.kubeconfig = undefined;',
      },
    ],
  },
  {
    id: 'R10',
    story: 'work starts under the epoch of the process before',
    killedBy: ['S8', 'S10'],
    budget: 5,
    edits: [
      {
        file: PREPARE,
        from: "raisedEpochs.get(metadata.uid ?? '') === spec.epoch;",
        to: "raisedEpochs.has(metadata.uid ?? '') || spec.epoch > 0;",
      },
    ],
  },
  {
    id: 'R21',
    story: 'failed bootstraps are tried again at once',
    killedBy: ['L18'],
    budget: 5,
    edits: [
      {
        file: PREPARE,
        from: 'if (nextAttemptAt === undefined || leftMs <= 0) return undefined;',
        to: 'if (nextAttemptAt === undefined || leftMs <= Number.MAX_SAFE_INTEGER) return undefined;',
      },
    ],
  },
  {
    id: 'R22',
    story: 'a machine says provisioned before its Mac has joined',
    killedBy: ['S42'],
    budget: 5,
    edits: [
      {
        file: 'src/provider/machine/machine-controller.ts',
        from: "(state !== 'joined' && machine.status?.initialization?.provisioned !== true)",
        to: "(state !== 'joined' && state !== 'preparing')",
      },
    ],
  },
  {
    id: 'R23',
    story: 'a second Mac gets the identity of a Node whose first Mac still has it',
    killedBy: ['S7', 'S14', 'S9', 'S10'],
    budget: 5,
    edits: [{ file: PREPARE, from: 'if (rival !== undefined)', to: "if (rival?.message === '')" }],
  },
];
