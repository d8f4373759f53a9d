/** What sets and deployments say of their size and their Machines, with Cluster API's types and reasons. Pure. */
import type { Step } from '../../kube/controller/lifecycle.ts';
import { type ConditionReport, done } from '../../kube/controller/outcome.ts';
import type { Condition } from '../../kube/types/meta.ts';
import type { Machine, MachineDeployment, MachineSet } from './machine-kinds.ts';
import { replicasOf } from './plan-machine-set.ts';

type Scaled = MachineSet | MachineDeployment;

const report = (
  type: string,
  isOn: boolean,
  { reason, message }: { readonly reason: string; readonly message: string },
): ConditionReport => ({ type, status: isOn ? 'True' : 'False', reason: isOn ? reason : `Not${reason}`, message });

/** By the status that the step before stored; `blocked` says why it does not get further. */
export const judgeScalingUp = (scaled: Scaled, blocked?: string): ConditionReport => {
  const [now, wanted] = [scaled.status?.replicas ?? 0, replicasOf(scaled)];
  const isOn = now < wanted;
  const why = blocked === undefined ? '' : ` is blocked because:\n* ${blocked}`;
  const message = isOn ? `Scaling up from ${now} to ${wanted} replicas${why}` : '';
  return report('ScalingUp', isOn, { reason: 'ScalingUp', message });
};

export const judgeScalingDown = (scaled: Scaled): ConditionReport => {
  const [now, wanted] = [scaled.status?.replicas ?? 0, replicasOf(scaled)];
  const isOn = now > wanted;
  const message = isOn ? `Scaling down from ${now} to ${wanted} replicas` : '';
  return report('ScalingDown', isOn, { reason: 'ScalingDown', message });
};

export const judgeRollingOut = (machines: readonly Machine[]): ConditionReport => {
  const old = machines.filter((machine) => conditionOf(machine, 'UpToDate')?.status === 'False').length;
  const message = old > 0 ? `Rolling out ${old} not up-to-date replicas` : '';
  return report('RollingOut', old > 0, { reason: 'RollingOut', message });
};

/** Nothing is repaired here: that is for a MachineHealthCheck to ask. */
export const judgeRemediating = (): ConditionReport =>
  report('Remediating', false, { reason: 'Remediating', message: '' });

const conditionOf = ({ status }: Machine, type: string): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

/** True without any Machine, as in Cluster API. */
export const judgeMachines = (
  { type, of }: { readonly type: string; readonly of: 'Ready' | 'UpToDate' },
  machines: readonly Machine[],
): ConditionReport => {
  const bad = machines.filter((machine) => conditionOf(machine, of)?.status !== 'True');
  if (machines.length === 0) return { type, status: 'True', reason: 'NoReplicas', message: '' };
  if (bad.length === 0) return { type, status: 'True', reason: of, message: '' };
  const isUnknown = bad.every((machine) => (conditionOf(machine, of)?.status ?? 'Unknown') === 'Unknown');
  const shown = bad.slice(0, 3).map(({ metadata }) => metadata.name);
  const more = bad.length > 3 ? `, ... (${bad.length - 3} more)` : '';
  const message = `* Machine${bad.length > 1 ? 's' : ''} ${shown.join(', ')}${more}`;
  if (isUnknown) return { type, status: 'Unknown', reason: `${of}Unknown`, message };
  return { type, status: 'False', reason: `Not${of}`, message };
};

/** A step that only looks: nothing is done, one condition is told. */
export const tell = <T extends Scaled>(type: string, judge: (object: T) => ConditionReport): Step<T> => ({
  name: type,
  condition: type,
  run: async (object) => done<T>({ condition: judge(object) }),
});

export const tellDeleting = <T extends Scaled>(
  machinesOf: (object: T) => readonly Machine[],
): { readonly up: Step<T>; readonly message: (object: T) => ConditionReport } => ({
  up: tell<T>('Deleting', () => ({ type: 'Deleting', status: 'False', reason: 'NotDeleting', message: '' })),
  message: (object) => {
    const { length } = machinesOf(object);
    const message = `Deleting ${length} Machine${length === 1 ? '' : 's'}`;
    return { type: 'Deleting', status: 'True', reason: 'Deleting', message };
  },
});
