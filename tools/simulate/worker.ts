/** One worker process of the simulation: does the job in its argument and answers with lines of JSON (job.ts). */
import { writeSync } from 'node:fs';
import { parseJob } from './job.ts';
import { runJob } from './run-job.ts';

const STDOUT = 1;

// Synchronous: a write that is under way would be real I/O inside the next run.
await runJob(parseJob(process.argv[2] ?? ''), (line) => writeSync(STDOUT, `${JSON.stringify(line)}\n`));
