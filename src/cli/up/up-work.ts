/** What the fleet of `up` is given to do, and what a person may try on it. */
import { FleetError } from '../../base/errors.ts';
import { type DemoObject, renderDemo, renderMacs } from '../../world/demo-fleet.ts';
import { RUNNER_POOL, renderRunnerPool } from '../../world/runners-in-process.ts';
import type { UpFlags } from './up-flags.ts';

export const renderWork = ({ macs, fleet }: UpFlags): readonly DemoObject[] =>
  fleet === 'runners' ? [...renderMacs(macs), renderRunnerPool(macs)] : renderDemo(macs);

/** Before anything is started. */
export const refuseUnfit = ({ fleet, provider, data }: UpFlags): void => {
  if (fleet !== 'runners' || (provider === 'here' && data === undefined)) return;
  throw new FleetError('invalid', {
    code: 'RunnersNotKept',
    message: 'the jobs of runners, and the Macs that they run on, live in this process alone',
    hint: 'Leave out --data and --provider with --fleet runners.',
  });
};

/** `dispatchControl` is where the jobs of runners are looked at and added. */
export const renderHints = (dispatchControl: string | undefined): string => {
  const tries = dispatchControl === undefined ? JOB_TRIES : renderRunnerTries(dispatchControl);
  return [
    'Try in another terminal, with KUBECONFIG set to that file:',
    ...tries.map((line) => `  ${line}`),
    'Ctrl-C stops everything.',
    '',
  ].join('\n');
};

const JOB_TRIES = [
  'kubectl get machinedeployments,machines,samm,machosts,nodes,pods',
  'kubectl describe machost',
  'kubectl logs job/hello-macos',
  'kubectl scale machinedeployment macos --replicas 1',
];

const renderRunnerTries = (control: string): readonly string[] => [
  'kubectl get rpool,pods -A -o wide',
  'kubectl drain <node> --ignore-daemonsets        # no job is lost',
  `kubectl -n tuist-runners scale rpool ${RUNNER_POOL} --replicas 2`,
  `curl ${control}/jobs -d '{"pool": "${RUNNER_POOL}", "count": 10}'`,
];
