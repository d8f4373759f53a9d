import { replayGroup } from './replay-schedules.ts';

replayGroup('mutants of the rules');
