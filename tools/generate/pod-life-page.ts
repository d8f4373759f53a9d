/** docs/life-of-a-pod.md, from the table of a Pod's life on a Mac. Pure: the same table gives the same bytes. */
import { MOVE_FOR, type Move, STAGES, type Stage, type Wish } from '../../src/kubelet/pods/plan-pod.ts';

export const POD_LIFE_PAGE = 'docs/life-of-a-pod.md';

const WISH_MEANS: Readonly<Record<Wish, string>> = {
  run: 'should run, or have run',
  refused: 'asks for what a virtual machine cannot do',
  unwell: 'runs, and its liveness or startup probe says that this run must end',
  done: 'has a command, and that has ended',
  expired: 'was active for longer than its `activeDeadlineSeconds`',
  lost: 'is told to run, and this Mac has no trace of it: it ran on another that was this Node',
  leaving: 'is on a Mac that shuts down or restarts',
  over: 'is Succeeded or Failed, whoever wrote that',
  end: 'was deleted, whatever its phase',
  gone: 'is not in the API any more; the API itself was asked',
};

const STAGE_MEANS: Readonly<Record<Stage, string>> = {
  nothing: 'nothing was done for it',
  making: 'its image is pulled, its VM cloned and started',
  'half-made': 'making was cut short: a clone that never ran may be there',
  unseen: 'the journal says that it was started, and this life of the agent has not looked yet',
  running: 'its process lives',
  exited: 'its process is over',
  ended: 'its outcome is in the journal; its disk is still there',
  stopping: 'its guest was asked to end; after the grace its VM is switched off',
  removing: 'its disk and its shares are deleted',
  cleared: 'nothing is left but its outcome',
};

const MOVE_MEANS: Readonly<Record<Move, string>> = {
  create: 'Claim the Pod (finalizer and status in one write), then make its VM, unless a failure is waited out.',
  reject: 'Say why it cannot run. It is Failed.',
  look: 'Find the run that an earlier life of the agent started. One that left no trace never was.',
  report: 'Tell how it is, where that differs from what was told.',
  settle: 'Find the outcome (the guest’s report, or what `tart run` returned) and write it into the journal.',
  conclude: 'Make it anew if its restart policy says so; otherwise tell its end.',
  cancel: 'End the making.',
  stop: 'Run its preStop hook, ask the guest to shut down, and switch it off after the grace.',
  hasten:
    'See to it that the stop takes no longer than the Pod has now: a deletion may be followed by one with a shorter grace.',
  remove: 'Delete the VM and its shares.',
  release: 'Tell the end if nobody did, and take the finalizer off, in one write. Let a deleted Pod go.',
  forget: 'Drop the journal’s entry.',
  wait: 'Nothing, until what is under way has ended.',
};

const list = (means: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(means).map(([name, text]) => `| **${name}** | ${text} |`);

export const renderPodLifePage = (): string =>
  [
    '<!-- Generated from src/kubelet/pods/plan-pod.ts by "npm run generate". Do not edit: change the table and generate again. -->',
    '',
    '# The life of a Pod on a Mac',
    '',
    'A Pod is one virtual machine, whose name ends in the Pod’s UID: a Pod that comes again under an old name gets a VM of its own. What the agent',
    'does next follows from two things: what the Pod wishes, by its object in the API, and how far its VM is, by the agent’s journal',
    '(`/var/lib/tart-userdata/.journal`) and the processes of the Mac. The journal is written before the thing it announces, so the agent may be killed',
    'at any point: a finished job is not run again, its exit code is not lost, and VMs go on.',
    '',
    '| the Pod | |',
    '|---|---|',
    ...list(WISH_MEANS),
    '',
    '| its VM | |',
    '|---|---|',
    ...list(STAGE_MEANS),
    '',
    '## What happens next',
    '',
    `| the Pod | ${STAGES.join(' | ')} |`,
    `|---|${STAGES.map(() => '---|').join('')}`,
    ...Object.entries(MOVE_FOR).map(
      ([wish, row]) => `| **${wish}** | ${STAGES.map((stage) => row[stage]).join(' | ')} |`,
    ),
    '',
    '| move | |',
    '|---|---|',
    ...list(MOVE_MEANS),
    '',
    'Work that lasts (making, stopping, removing) runs beside the queue, one piece per Pod: a slow pull delays nobody else, and a deletion',
    'cuts it short. What fails is tried again after one second, then two, up to a minute; a Pod that waits for one of the two places of a Mac',
    'is tried as soon as a VM has ended.',
    '',
  ].join('\n');
