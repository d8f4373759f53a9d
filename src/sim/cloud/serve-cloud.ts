/** A simulated cloud on two real ports: Scaleway's API on one, the control of the simulation on the other. */
import type { Clock } from '../../base/clock.ts';
import { SIMULATED_KEY } from '../../scaleway/port/simulated-key.ts';
import { type HttpServer, type HttpServerOptions, startHttpServer } from '../http/http-server.ts';
import { answerControl, type ControlDeps } from './control.ts';

export interface ServeCloudOptions extends ControlDeps, Partial<Pick<HttpServerOptions, 'tls'>> {
  readonly clock: Clock;
  /** 0 takes a free one. */
  readonly port?: number;
  readonly controlPort?: number;
}

export interface ServedCloud {
  readonly apiUrl: string;
  readonly controlUrl: string;
  /** What Scaleway's own clients read. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export const serveCloud = async (options: ServeCloudOptions): Promise<ServedCloud> => {
  const { clock, cloud, port = 0, controlPort = 0, tls } = options;
  const api = await startHttpServer({
    ...{ clock, port, answer: cloud.serve },
    ...(tls === undefined ? {} : { tls }),
  });
  const control = await startControl(options, controlPort, api);
  return {
    apiUrl: api.url,
    controlUrl: control.url,
    environment: {
      SCW_API_URL: api.url,
      SCW_ACCESS_KEY: SIMULATED_KEY.accessKey,
      SCW_SECRET_KEY: SIMULATED_KEY.secretKey,
      SCW_DEFAULT_PROJECT_ID: cloud.projectId,
      SCW_DEFAULT_ZONE: cloud.zone,
      SCW_DEFAULT_REGION: cloud.zone.replace(/-\d+$/, ''),
    },
    close: async () => {
      await Promise.all([api.close(), control.close()]);
    },
  };
};

/** Nothing stays open when the second port is taken. */
const startControl = async (options: ServeCloudOptions, port: number, api: HttpServer): Promise<HttpServer> => {
  const { clock } = options;
  try {
    return await startHttpServer({ clock, port, answer: (request) => answerControl(options, request) });
  } catch (error) {
    await api.close();
    throw error;
  }
};
