import { replayGroup } from './replay-schedules.ts';

replayGroup('what was found in our own code');
