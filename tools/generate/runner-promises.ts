/** The promises about runners, in words; they are judged on the record of the simulated dispatcher. */

export interface RunnerPromise {
  readonly id: `S${number}`;
  readonly promise: string;
}

export const RUNNER_JUDGE = 'src/sim/dispatch/check-record.ts';

export const RUNNER_PROMISES: readonly RunnerPromise[] = [
  { id: 'S30', promise: 'we never delete a runner that has a job' },
  { id: 'S31', promise: 'a VM runs one job at most, and a job runs once' },
  { id: 'S32', promise: 'who is asked to leave gets no job, and who has one is not drained' },
  { id: 'S33', promise: 'a pool never has more runners alive than it may' },
  { id: 'S34', promise: 'a runner is registered once, and no registration outlives its VM by more than ten minutes' },
  { id: 'S35', promise: 'every session is closed once, with an end no later than that of its Pod' },
];
