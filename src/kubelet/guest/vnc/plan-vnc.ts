/** Who may see a VM's screen, and what is told about that. By annotations of the server, or by a file that an operator puts down. Pure. */
import { LABELS } from '../../../kinds/labels.ts';
import type { Pod } from '../../../kube/types/pod.ts';

export const VNC_ANNOTATIONS = {
  /** Set by the server. */
  sessionId: 'tuist.dev/vnc-session-id',
  tokenHash: 'tuist.dev/vnc-relay-token-hash',
  /** Set by us. */
  state: 'tuist.dev/vnc-state',
  host: 'tuist.dev/vnc-relay-host',
  port: 'tuist.dev/vnc-relay-port',
  readyAt: 'tuist.dev/vnc-relay-ready-at',
} as const;

export interface WantedRelay {
  /** Who connects must know what this is the hash of; an operator on the Mac need not. */
  readonly tokenHash?: string;
}

/** Undefined when nobody may. Only runners have a screen. */
export const wantedRelay = ({ metadata }: Pod, hasRequestFile: () => boolean): WantedRelay | undefined => {
  if (metadata.labels?.[LABELS.runner] !== 'true') return undefined;
  const { [VNC_ANNOTATIONS.sessionId]: session = '', [VNC_ANNOTATIONS.tokenHash]: hash = '' } =
    metadata.annotations ?? {};
  if (session !== '') return hash.trim() === '' ? undefined : { tokenHash: hash.trim() };
  return hasRequestFile() ? {} : undefined;
};

export interface ReadyRelay {
  readonly host: string;
  readonly port: number;
  readonly readyAt: string;
}

/** What stands on the Pod while there is a relay; without one all of it is taken off. */
export const renderVncAnnotations = (ready: ReadyRelay | undefined): Readonly<Record<string, string | null>> => ({
  [VNC_ANNOTATIONS.state]: ready === undefined ? null : 'ready',
  [VNC_ANNOTATIONS.host]: ready?.host ?? null,
  [VNC_ANNOTATIONS.port]: ready === undefined ? null : String(ready.port),
  [VNC_ANNOTATIONS.readyAt]: ready?.readyAt ?? null,
});

/** How files about a Pod's screen are called. */
export const vncFileOf = ({ metadata }: Pod): string => `${metadata.namespace ?? 'default'}_${metadata.name}`;
