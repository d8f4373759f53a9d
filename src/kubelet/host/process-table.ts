/** What `ps -o pid= -o lstart= -o command=` prints, in the C locale and UTC, on macOS and on Linux. Pure. */
import type { ProcessInfo } from './command-port.ts';

/** `  4711 Mon Nov 16 09:42:21 2026 tart run vm-1 --no-graphics` */
const LINE = /^\s*(\d+)\s+\w{3}\s+(\w{3}\s+\d+\s+\d\d:\d\d:\d\d\s+\d{4})\s+(.*)$/;

/** Lines that are none are left out: a process may end while it is printed. */
export const parseProcesses = (text: string): readonly ProcessInfo[] =>
  text.split('\n').flatMap((line) => {
    const [, pid, started, command] = LINE.exec(line) ?? [];
    if (pid === undefined || started === undefined || command === undefined) return [];
    const startedAtMs = Date.parse(`${started} UTC`);
    return Number.isNaN(startedAtMs) ? [] : [{ pid: Number(pid), startedAtMs, command }];
  });
