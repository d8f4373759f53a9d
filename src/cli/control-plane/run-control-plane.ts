/** The work behind `macfleet control-plane`: starts it, says how to use it, and stops it. Loaded only when it runs. */
import { abortable, linkedController } from '../../base/abort.ts';
import { createSystemClock } from '../../base/clock.ts';
import { isKind } from '../../base/errors.ts';
import { createLogger } from '../../base/logger.ts';
import { createSystemRandom } from '../../base/random.ts';
import { type ServedControlPlane, serveControlPlane } from '../../controlplane/serve-control-plane.ts';
import type { CliIo } from '../io.ts';
import { openDataFolder } from '../up/data-folder.ts';
import type { AuditFlags } from './audit-flags.ts';
import { openAuditLog } from './open-audit-log.ts';

export interface ControlPlaneFlags extends AuditFlags {
  readonly data?: string;
  readonly port: number;
  readonly log: boolean;
}

const HINTS = `
Try in another terminal, with KUBECONFIG set to that file:
  kubectl get namespaces
  kubectl create deployment hello --image example.com/hello
  kubectl get pods        # Pending: no Node has joined
  kubectl explain pod.spec
It is for trying, developing and testing; docs/control-plane.md says what it supports. Ctrl-C stops it.
`;

export const runControlPlane = async (flags: ControlPlaneFlags, io: CliIo): Promise<void> => {
  const clock = createSystemClock();
  const startedMs = clock.elapsed();
  const logger = createLogger({ clock, level: flags.log ? 'info' : 'error', destination: { write: io.stderr } });
  const { auditLog, close: closeAudit } = await openAuditLog(flags, (text) => io.stderr(`${text}\n`));
  await using closing = new AsyncDisposableStack();
  closing.defer(closeAudit);
  const folder = openDataFolder({ data: flags.data, clean: false });
  const { databaseFile } = folder;
  let plane: ServedControlPlane | undefined;
  try {
    plane = await serveControlPlane({
      ...{ clock, random: createSystemRandom(), logger, port: flags.port },
      ...(databaseFile !== undefined && { databaseFile }),
      ...(auditLog && { auditLog }),
    });
    const file = folder.writeKubeconfig(plane.kubeconfig);
    io.stdout(`API server ready at ${plane.url} after ${Math.round(clock.elapsed() - startedMs)} ms\n`);
    io.stdout(`kubeconfig: ${file}\n`);
    if (databaseFile === undefined) io.stdout('Everything is forgotten in the end; --data <folder> keeps it.\n');
    io.stdout(HINTS);
    await runUntilStopped(plane, io.signal);
    io.stdout('Stopped.\n');
  } finally {
    await plane?.close();
    folder.dispose();
  }
};

const runUntilStopped = async (plane: ServedControlPlane, signal: AbortSignal): Promise<void> => {
  const life = linkedController(signal);
  const running = plane.runControllers(life.signal);
  try {
    await abortable(running, signal);
  } catch (error) {
    if (!signal.aborted || !isKind(error, 'cancelled')) throw error;
  } finally {
    life.abort();
    // A failure of the controllers has been thrown above; here only their end counts.
    await running.catch(() => undefined);
  }
};
