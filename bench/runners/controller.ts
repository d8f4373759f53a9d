/** The runners controller as people start it, without a dispatcher: what is measured is the controller. */
import { type Program, startMacfleet } from '../processes/program.ts';

/** Settles when it leads. */
export const startController = async (kubeconfig: string): Promise<Program> => {
  const controller = startMacfleet([
    ...['runners', '--kubeconfig', kubeconfig, '--dispatch-url', 'http://127.0.0.1:9/dispatch'],
    ...['--metrics-bind-address', '0', '--health-probe-bind-address', '0', '--lease-profile', 'fast'],
  ]);
  await controller.until(/Leader lease acquired/);
  return controller;
};
