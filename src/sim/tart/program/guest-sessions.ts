/**
 * Everything that runs in a guest ends with it, whatever group it has made for itself: each program starts a session of its own,
 * and sessions are what is killed. A watcher does that also when the VM's own process is killed.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { killNow } from './kill-now.ts';

/** Waits until descriptor 3 is closed, which is when the VM's process is gone. By then the file may be gone too. */
const WATCHER = 'exec 4<"$1"; read -r _ <&3; while read -r session <&4; do pkill -KILL -s "$session"; done';

export interface GuestSessions {
  add(leader: number | undefined): void;
  /** All at once; returns when they have got their signal. */
  killAll(): void;
}

export const openGuestSessions = (path: string): GuestSessions => {
  writeFileSync(path, '');
  const sessions = new Set<string>();
  const watcher = spawn('/bin/sh', ['-c', WATCHER, 'guest-power', path], {
    ...{ detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  });
  watcher.unref();
  return {
    add: (leader) => {
      if (leader === undefined) return;
      sessions.add(String(leader));
      appendFileSync(path, `${leader}\n`);
    },
    killAll: () => {
      for (const name of readdirSync('/proc')) if (sessions.has(sessionOf(name))) killNow(Number(name));
    },
  };
};

/** Of a process that is gone, or of what is none, there is none. */
const sessionOf = (pid: string): string => {
  if (!/^\d+$/.test(pid)) return '';
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3] ?? '';
  } catch {
    return '';
  }
};
