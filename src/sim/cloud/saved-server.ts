/** A simulated server as text that outlives its process. Its password is as simulated as the rest. */
import { Secret } from '../../base/secret.ts';
import type { SimServer } from './sim-server.ts';

export interface SavedServer extends Omit<SimServer, 'password'> {
  readonly password: string;
}

export const saveServer = (server: SimServer): SavedServer => ({ ...server, password: server.password.reveal() });

export const restoreServer = (saved: SavedServer): SimServer => ({ ...saved, password: new Secret(saved.password) });
