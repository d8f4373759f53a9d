/** What goes wrong between us and a Mac with real bash, on request: each fault comes as often as it was asked for. */

export type LineFault =
  /** Neither output nor end (F36). */
  | 'hang'
  /** The connection breaks before anything ran (F35). */
  | 'lost-before'
  /** The connection breaks as soon as something of what is sent to the command has arrived (F37). */
  | 'lost-midway'
  /** It runs to its end, and the connection breaks before anybody hears of it (F35). */
  | 'lost-after';

export interface SshTrouble {
  /** So many connections are dropped before the first byte (F34). */
  refuseConnections(times: number): void;
  /** Nobody gets in before the next boot, as when fail2ban has had enough (F40). */
  ban(): void;
  liftBan(): void;
  takeRefusal(): boolean;
  /** Meets the next command whose line holds this text. */
  breakNext(text: string, how: LineFault): void;
  takeLineFault(line: string): LineFault | undefined;
}

export const createSshTrouble = (): SshTrouble => {
  const waiting: { readonly text: string; readonly how: LineFault }[] = [];
  let refusals = 0;
  let isBanned = false;
  return {
    refuseConnections: (times) => {
      refusals += times;
    },
    ban: () => {
      isBanned = true;
    },
    liftBan: () => {
      isBanned = false;
    },
    takeRefusal: () => {
      if (isBanned) return true;
      if (refusals === 0) return false;
      refusals -= 1;
      return true;
    },
    breakNext: (text, how) => {
      waiting.push({ text, how });
    },
    takeLineFault: (line) => {
      const at = waiting.findIndex(({ text }) => line.includes(text));
      return at === -1 ? undefined : waiting.splice(at, 1)[0]?.how;
    },
  };
};
