/** A simulated dispatcher on two real ports: the wire on one, the control of the simulation on the other. */
import type { Clock } from '../../base/clock.ts';
import { type HttpServer, startHttpServer } from '../http/http-server.ts';
import { answerDispatchControl } from './control.ts';
import { DISPATCH_PATH, SCALING_PATH, SESSIONS_PATH } from './routes.ts';
import type { SimDispatch } from './sim-dispatch.ts';

export interface ServeDispatchOptions {
  readonly clock: Clock;
  readonly dispatch: SimDispatch;
  /** 0 takes a free one. */
  readonly port?: number;
  readonly controlPort?: number;
}

export interface ServedDispatch {
  readonly url: string;
  readonly controlUrl: string;
  /** What the runners controller is told by flags or environment. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export const serveDispatch = async (options: ServeDispatchOptions): Promise<ServedDispatch> => {
  const { clock, dispatch, port = 0 } = options;
  const wire = await startHttpServer({ clock, port, answer: (request) => dispatch.serve(request) });
  const control = await startControl(options, wire);
  return {
    url: wire.url,
    controlUrl: control.url,
    environment: {
      TUIST_RUNNER_DISPATCH_URL: `${wire.url}${DISPATCH_PATH}`,
      TUIST_SCALING_SIGNALS_URL: `${wire.url}${SCALING_PATH}`,
      TUIST_RUNNER_SESSIONS_URL: `${wire.url}${SESSIONS_PATH}`,
    },
    close: async () => {
      await Promise.all([wire.close(), control.close()]);
    },
  };
};

/** Nothing stays open when the second port is taken. */
const startControl = async (
  { clock, dispatch, controlPort = 0 }: ServeDispatchOptions,
  wire: HttpServer,
): Promise<HttpServer> => {
  try {
    return await startHttpServer({
      ...{ clock, port: controlPort, answer: (request) => answerDispatchControl(dispatch, request) },
    });
  } catch (error) {
    await wire.close();
    throw error;
  }
};
