/** Defects that kubelets had, ours or the Go original's, put back one at a time: each must be found by the test that is named. */
import type { Edit } from '../mutants/mutant.ts';

export interface KubeletMutant {
  readonly id: string;
  readonly story: string;
  /** Of the test in src/world that finds it. */
  readonly foundBy: string;
  readonly file: 'kubelet-world.test.ts' | 'kubelet-faults.test.ts';
  readonly edits: readonly Edit[];
}

const PLAN = 'src/kubelet/pods/plan-pod.ts';
const MOVES = 'src/kubelet/pods/moves.ts';

const NODE_OBJECT = 'src/kubelet/node/node-object.ts';

export const KUBELET_MUTANTS: readonly KubeletMutant[] = [
  {
    id: 'M23',
    story: 'a loginwindow that is dead is sent a hang-up',
    foundBy: 'F43 L9',
    file: 'kubelet-faults.test.ts',
    edits: [
      {
        file: 'src/kubelet/node/gui-session.ts',
        from: "'/bin/launchctl', 'kickstart', '-k', job]",
        to: "'/usr/bin/killall', '-HUP', job.replace(/.*[.]/, '')]",
      },
    ],
  },
  {
    id: 'M24',
    story: 'a Pod that is over is left alone before anybody sees that it is deleted',
    foundBy: '§9.4-2',
    file: 'kubelet-world.test.ts',
    edits: [
      {
        file: PLAN,
        from: "  if (pod.metadata.deletionTimestamp !== undefined) return 'end';\n  if (isOver(pod)) return 'over';",
        to: "  if (isOver(pod)) return 'gone';\n  if (pod.metadata.deletionTimestamp !== undefined) return 'end';",
      },
    ],
  },
  {
    id: 'M29-not-set',
    story: 'a Node is registered without its provider id, and never gets it',
    foundBy: '§9.1-1',
    file: 'kubelet-faults.test.ts',
    edits: [
      {
        file: NODE_OBJECT,
        from: "...(facts.providerId === '' ? {} : { providerID: facts.providerId }),",
        to: '',
      },
      {
        file: NODE_OBJECT,
        from: "(spec?.providerID ?? '') === '' ? providerId : undefined;",
        to: 'spec === undefined ? providerId : undefined;',
      },
    ],
  },
  {
    id: 'M29-overwritten',
    story: 'a provider id that is there is overwritten',
    foundBy: '§9.1-3',
    file: 'kubelet-faults.test.ts',
    edits: [
      {
        file: NODE_OBJECT,
        from: "providerId !== '' && (spec?.providerID ?? '') === '' ? providerId",
        to: "providerId !== (spec?.providerID ?? '') ? providerId",
      },
    ],
  },
  {
    id: 'N9',
    story: 'a VM belongs to whoever has the name',
    foundBy: 'F92',
    file: 'kubelet-world.test.ts',
    edits: [
      {
        file: 'src/kubelet/pods/vm-name.ts',
        from: 'const uidOf = ({ metadata }: Pod): string => metadata.uid ??',
        to: "const uidOf = (_: Pod): string => '00000000-0000-4000-8000-000000000000' ??",
      },
    ],
  },
  {
    id: 'N15',
    story: 'the end of a VM is seen only when somebody next looks, a second later',
    foundBy: 'N15',
    file: 'kubelet-world.test.ts',
    edits: [
      {
        file: 'src/kubelet/pods/pod-controller.ts',
        from: '        memory.exit = exit;\n        wake();',
        to: '        ports.clock.schedule(1_000, () => {\n          memory.exit = exit;\n          wake();\n        });',
      },
    ],
  },
  {
    id: 'K1',
    story: 'an outcome is not written down before the VM is torn down',
    foundBy: 'F87 K1',
    file: 'kubelet-world.test.ts',
    edits: [
      {
        file: MOVES,
        from: "  await journal.put({ ...entry, stage: 'ended', outcome });",
        to: "  await parts.vms.remove(vm, subject.signal);\n  await shares.remove(vm);\n  await journal.put({ ...entry, stage: 'ended', outcome });",
      },
    ],
  },
  {
    id: 'K2',
    story: 'a run is put on record after it was begun: a restart takes the VM for one that never ran',
    foundBy: 'F87 K1',
    file: 'kubelet-world.test.ts',
    edits: [
      {
        file: 'src/kubelet/pods/make-vm.ts',
        from: "    await both(journal.put({ ...making, stage: 'started', logFromByte }), request.make());",
        to: '    await request.make();',
      },
      {
        file: 'src/kubelet/pods/make-vm.ts',
        from: '    return await vms.start({ vm, shares, graphics, logPath, beforeRun, signal });',
        to: "    const run = await vms.start({ vm, shares, graphics, logPath, beforeRun, signal });\n    await journal.put({ ...making, stage: 'started' });\n    return run;",
      },
    ],
  },
  {
    id: 'K3',
    story: 'a finalizer is let go while the VM is still there',
    foundBy: 'F87 K1',
    file: 'kubelet-world.test.ts',
    edits: [{ file: PLAN, from: "  ended: 'remove',", to: "  ended: 'release'," }],
  },
  {
    id: 'K13',
    story: 'what cannot be started is tried without a pause',
    foundBy: '§7-12',
    file: 'kubelet-faults.test.ts',
    edits: [
      {
        file: 'src/kubelet/pods/pod-work.ts',
        from: 'factor: 2, maxMs: 60_000, minMs: 500 }',
        to: 'factor: 1, maxMs: 60_000, minMs: 500 }',
      },
    ],
  },
  {
    id: 'S22',
    story: 'nobody counts the VMs that run before one more is started',
    foundBy: 'S22 F86',
    file: 'kubelet-world.test.ts',
    edits: [
      { file: 'src/kubelet/vm/vm-starter.ts', from: 'if (live.size < vmsMax)', to: 'if (live.size < vmsMax + 1)' },
    ],
  },
  {
    id: 'S27',
    story: 'the collector deletes an image although a base is cloned from it',
    foundBy: 'S27',
    file: 'kubelet-faults.test.ts',
    edits: [
      { file: 'src/kubelet/images/image-claims.ts', from: '      if (claims.has(name)) return false;\n', to: '' },
      { file: 'src/kubelet/images/image-claims.ts', from: '(name) => claims.has(name)', to: '(_name) => false' },
    ],
  },
  {
    id: 'S28',
    story: 'what a VM was given, its token too, is left on the Mac',
    foundBy: '§7-29 D8',
    file: 'kubelet-world.test.ts',
    edits: [{ file: 'src/kubelet/pods/end-vm.ts', from: '  await shares.remove(vm);\n', to: '' }],
  },
  {
    id: 'S29',
    story: 'a Node is Ready for more than a minute after its graphical session ended',
    foundBy: 'is told within a minute',
    file: 'kubelet-faults.test.ts',
    edits: [
      {
        file: 'src/kubelet/node/host-watch.ts',
        from: "const SURE_AT_ONCE: readonly Concern[] = ['guiSession'];",
        to: 'const SURE_AT_ONCE: readonly Concern[] = [];',
      },
    ],
  },
  {
    id: 'S27-clone',
    story:
      'the collector deletes by what was needed when it began: a VM that came since goes between its clone and its start',
    foundBy: 'S27 F94',
    file: 'kubelet-faults.test.ts',
    edits: [
      {
        file: 'src/kubelet/pods/housekeeping.ts',
        from: '    needed: () => neededBy([...items, ...pods.list()], journal.all()),',
        to: '    needed: ((then) => () => then)(neededBy(items, journal.all())),',
      },
    ],
  },
  {
    id: 'L10',
    story: 'a restarted agent asks Tart what VMs there are before it takes any over',
    foundBy: 'L10: a restart',
    file: 'kubelet-world.test.ts',
    edits: [
      {
        file: MOVES,
        from: '  if (parts.journal.get(uid) === undefined) await parts.takeInventory(signal);',
        to: '  await parts.takeInventory(signal);',
      },
    ],
  },
  {
    id: 'L21',
    story: 'a Node is registered as fast as somebody deletes it',
    foundBy: 'L21',
    file: 'kubelet-faults.test.ts',
    edits: [{ file: 'src/kubelet/node/write-pace.ts', from: 'const WRITES_MAX = 6;', to: 'const WRITES_MAX = 6_000;' }],
  },
  {
    id: 'D8',
    story: 'a VM is made before its Pod is claimed',
    foundBy: 'runs Pods as VMs',
    file: 'kubelet-world.test.ts',
    edits: [{ file: MOVES, from: "momentOf(entry, memory), finalizer: 'held' }", to: 'momentOf(entry, memory) }' }],
  },
];
