/** The promises that are judged once trouble is over, in words. */

export interface QuietPromise {
  readonly id: `L${number}`;
  readonly promise: string;
}

export const QUIET_PROMISES: readonly QuietPromise[] = [
  { id: 'L1', promise: 'no machine waits for a Mac while a Mac is free, nor for its Node while that is there' },
  { id: 'L2', promise: 'what is deleted goes, and what went at Scaleway is noticed' },
  { id: 'L3', promise: 'a Mac that is given back arrives in the pool or ends its rent, and none is forgotten' },
  { id: 'L4', promise: 'a Mac whose wipe does not end is kept apart' },
  { id: 'L5', promise: 'a Mac that only waited for something is prepared when that is there' },
  { id: 'L6', promise: 'a Mac that keeps failing is rebooted, then given back, then kept apart' },
  { id: 'L13', promise: 'a machine is ready, or says what it waits for' },
  { id: 'L16', promise: 'somebody leads' },
  { id: 'L17', promise: 'a Mac that can be reached has the wanted configuration, or says why not' },
  { id: 'L18', promise: 'what fails is tried again, neither at once nor later than after the longest pause' },
  { id: 'L20', promise: 'who has a Mac does not say that there is none' },
  { id: 'L21', promise: 'a quiet fleet writes nothing but heartbeats' },
];
