/** Controllers as a composition hands them to a manager. */
import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Controller } from '../../kube/controller/controller.ts';
import type { EventRecorder } from '../../kube/controller/events.ts';
import type { ManagerOptions } from '../../kube/manager/manager.ts';

export interface ControllerSetDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly ids: Ids;
}

/** What a manager runs. */
export interface ControllerSet {
  readonly caches: ManagerOptions['caches'];
  readonly controllers: readonly Controller[];
  readonly events: EventRecorder;
}
