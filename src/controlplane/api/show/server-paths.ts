/** What the server says about itself: that it lives, and which version it imitates. */
import { type ApiResponse, reply, replyText } from '../http.ts';

/** The version whose behaviour is imitated. */
const VERSION = {
  ...{ major: '1', minor: '36', emulationMajor: '1', emulationMinor: '36' },
  ...{ minCompatibilityMajor: '1', minCompatibilityMinor: '35', gitVersion: 'v1.36.4+macfleet', gitCommit: '' },
  ...{
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: 'macfleet/embedded',
  },
} as const;

const HEALTH = /^\/(healthz|readyz|livez)(\/ping)?$/;

/** Undefined for other paths. */
export const describeServer = (path: string, query: URLSearchParams): ApiResponse | undefined => {
  if (path === '/version') return reply(200, VERSION);
  const [, check] = HEALTH.exec(path) ?? [];
  if (check === undefined) return undefined;
  return replyText(200, query.has('verbose') ? `[+]ping ok\n[+]store ok\n${check} check passed\n` : 'ok');
};
