/** The three fleets of a release in the chart's scene: their names, values that ask for some of them, and when they are up. */
import type { FleetView } from '../cluster-api/fleet-view.ts';
import { MAC_MS } from '../cluster-api/lab-fleets.ts';
import { isTrue } from '../cluster-api/view.ts';
import { type ChartGitHub, createAppSecret, equipMacs, ORGANISATION, openChartGitHub } from './chart-github.ts';
import { type ChartJobs, openChartJobs } from './chart-jobs.ts';
import {
  type ChartScene,
  makeFleetKeys,
  NAMESPACE,
  openChartScene,
  RELEASE,
  RUNNER_IMAGE,
  type Values,
} from './chart-scene.ts';

export const FLEETS = {
  macos: `${RELEASE}-macos-fleet`,
  runners: `${RELEASE}-runners-fleet`,
  builders: `${RELEASE}-builders-fleet`,
} as const;
export type Fleet = keyof typeof FLEETS;

export const POOL = `${RELEASE}-runner-pool-ci`;

/** The scene of the chart with Macs for these fleets, work for runners, and a GitHub for builders. */
export interface FleetsScene extends ChartScene {
  readonly jobs: ChartJobs;
  readonly github: ChartGitHub;
}

export const openFleetsScene = async (fleets: readonly Fleet[]): Promise<FleetsScene> => {
  const scene = await openChartScene();
  const [jobs, github] = [await openChartJobs(scene.cluster), await openChartGitHub()];
  await scene.cluster.kubectl(['create', 'namespace', NAMESPACE]);
  await makeFleetKeys(
    scene,
    fleets.map((fleet) => FLEETS[fleet]),
  );
  await scene.lab.addMacs(fleets.length);
  equipMacs(scene);
  await createAppSecret(scene, github, FLEETS.builders);
  const close = async (): Promise<void> => {
    await scene.close();
    // Runners ask it until their Macs are gone.
    await jobs.close();
    await github.close();
  };
  return { ...scene, jobs, github, close };
};

/** One Mac for each of these fleets. */
export const fleetValues = async (scene: FleetsScene, fleets: readonly Fleet[]): Promise<Values> => {
  const { jobs, github } = scene;
  const lab = await scene.labValues();
  const isAsked = (fleet: Fleet) => ({ enabled: fleets.includes(fleet) });
  return {
    ...lab,
    manager: { ...lab.manager, extraArgs: [...lab.manager.extraArgs, `--github-api-url=${github.url}`] },
    macosFleet: { ...lab.macosFleet, ...isAsked('macos'), replicas: 1 },
    runnersFleet: {
      ...{ ...isAsked('runners'), hostCount: 1 },
      pools: [{ name: 'ci', runnerImage: RUNNER_IMAGE, dispatchLabel: 'tuist-macos', replicas: 1 }],
    },
    runnersController: { leaseProfile: 'fast' },
    buildersFleet: { ...isAsked('builders'), replicas: 1, ghOrg: ORGANISATION },
    server: { appUrl: jobs.url },
  };
};

export const untilAvailable = (view: FleetView, fleets: readonly Fleet[]): Promise<unknown> =>
  view.until(
    `Available: ${fleets.join(', ')}`,
    () =>
      fleets.every((fleet) => {
        const found = view.deployments.get(`${NAMESPACE}/${FLEETS[fleet]}`);
        return found !== undefined && isTrue(found, 'Available');
      }),
    MAC_MS,
  );
