/** Everything of the runtime that a controller process imports, whatever its controllers do. */
import '../../src/base/clock.ts';
import '../../src/base/logger.ts';
import '../../src/base/random.ts';
import '../../src/kube/cache/cache.ts';
import '../../src/kube/client/connect.ts';
import '../../src/kube/client/login/host-io.ts';
import '../../src/kube/client/login/load-cluster.ts';
import '../../src/kube/controller/controller.ts';
import '../../src/kube/controller/events.ts';
import '../../src/kube/controller/lifecycle.ts';
import '../../src/kube/controller/operations.ts';
import '../../src/kube/manager/health-server.ts';
import '../../src/kube/manager/leader-lease.ts';
import '../../src/kube/manager/manager.ts';
import '../../src/kube/manager/metrics.ts';
import '../../src/kube/queue/work-queue.ts';
