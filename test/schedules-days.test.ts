import { replayGroup } from './replay-schedules.ts';

replayGroup('days');
