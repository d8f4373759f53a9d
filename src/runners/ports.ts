/** What the runners controller works with. */
import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { Random } from '../base/random.ts';
import type { Dispatcher } from '../dispatch/port/dispatcher.ts';
import type { RunnerPool } from '../kinds/runner-pool.ts';
import type { Cache } from '../kube/cache/cache.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { EventRecorder } from '../kube/controller/events.ts';
import type { LeaderLease } from '../kube/manager/leader-lease.ts';
import type { RuntimeMetrics } from '../kube/manager/metrics.ts';
import type { Node, ServiceAccount } from '../kube/types/core.ts';
import type { Pod } from '../kube/types/pod.ts';
import type { BadNodes } from './life/bad-nodes.ts';
import type { GuestSettings } from './pool/render-runner.ts';

export interface RunnersPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly logger: Logger;
  /** The one namespace that pools and runners are in. */
  readonly namespace: string;
  readonly guests: GuestSettings;
  readonly dispatcher?: Dispatcher;
  /** Whether ends are reported to it and runners drained there. */
  readonly sessions: 'reported' | 'none';
  /** Whether it is asked for load. */
  readonly signals: 'asked' | 'none';
  /** Without one this process acts as if it were alone. */
  readonly lease?: LeaderLease;
  readonly metrics?: RuntimeMetrics;
}

export interface RunnersCaches {
  readonly pools: Cache<RunnerPool>;
  /** Index `pool`: by `<namespace>/<pool>`. */
  readonly pods: Cache<Pod>;
  readonly accounts: Cache<ServiceAccount>;
  readonly nodes: Cache<Node>;
}

export interface RunnersDeps {
  readonly ports: RunnersPorts;
  readonly caches: RunnersCaches;
  readonly events: EventRecorder;
  /** Macs that runners would rather not go to. */
  readonly badNodes: BadNodes;
}
