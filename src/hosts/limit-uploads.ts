/**
 * Many Macs are worked on at once, since such work is waiting for the most part. Files are not: each that is on its way
 * holds buffers and the processor, so that only some are sent at a time.
 */
import { createLimiter } from '../base/limiter.ts';
import type { Hosts } from './port.ts';

export const UPLOADS_AT_ONCE = 64;

/** The same hosts; over all their sessions, an upload waits until fewer than UPLOADS_AT_ONCE are under way. */
export const limitUploads = (hosts: Hosts): Hosts => {
  const limiter = createLimiter(UPLOADS_AT_ONCE);
  return {
    open: async (target, signal) => {
      const session = await hosts.open(target, signal);
      return {
        ...session,
        upload: (artefacts, limited) => limiter.run(() => session.upload(artefacts, limited), limited),
      };
    },
  };
};
