/** The Grafana dashboard: what an operator looks at first, in rows from the fleet down to our processes. Pure. */

interface Panel {
  readonly title: string;
  readonly description: string;
  readonly expr: string;
  readonly legend: string;
  readonly unit?: string;
}

interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export const DASHBOARD_ROWS: readonly Row[] = [
  {
    title: 'Macs',
    panels: [
      {
        title: 'Macs by state',
        description: 'Every Mac on record. Held and quarantined ones cost money and wait for a person.',
        expr: 'sum by (state) (macfleet_hosts)',
        legend: '{{state}}',
      },
      {
        title: 'Free Macs by pool',
        description: 'What a new machine can have at once.',
        expr: 'sum by (pool) (macfleet_hosts{state="free"})',
        legend: '{{pool}}',
      },
      {
        title: 'Machines by phase',
        description: 'One series for each machine. What is not Ready for an hour is told as an alert.',
        expr: 'count by (fleet, phase) (capt_scaleway_applesilicon_machine_phase)',
        legend: '{{fleet}} {{phase}}',
      },
      {
        title: 'Nobody has them',
        description: 'Macs that are held because their owner is gone, and servers that nobody has on record.',
        expr: 'sum(scaleway_orphan_servers) + (sum(macfleet_stray_servers) or vector(0))',
        legend: 'Macs',
      },
    ],
  },
  {
    title: 'Runners',
    panels: [
      {
        title: 'Runners by phase',
        description: 'Of all pools.',
        expr: 'sum by (pool, phase) (tuist_runners_pool_phase_replicas)',
        legend: '{{pool}} {{phase}}',
      },
      {
        title: 'Idle runners',
        description: 'Up, on a Node, and without a job that we know of.',
        expr: 'sum by (pool) (tuist_runners_pool_idle_replicas)',
        legend: '{{pool}}',
      },
      {
        title: 'Jobs that wait',
        description: 'As the dispatcher says; only of pools with autoscaling.',
        expr: 'sum by (pool) (tuist_runners_autoscaler_queued_jobs)',
        legend: '{{pool}}',
      },
      {
        title: 'Oldest runner that waits',
        description: 'Since when the runner waits that has waited longest.',
        expr: 'max by (pool) (tuist_runners_pool_oldest_pending_pod_age_seconds)',
        legend: '{{pool}}',
        unit: 's',
      },
    ],
  },
  {
    title: 'Scaleway and the API server',
    panels: [
      {
        title: 'Calls to Scaleway',
        description: 'By verb and outcome.',
        expr: 'sum by (verb, outcome) (rate(macfleet_scaleway_calls_total[5m]))',
        legend: '{{verb}} {{outcome}}',
        unit: 'reqps',
      },
      {
        title: 'Requests to the API server that were refused',
        description: 'By status code. A converged fleet asks for little, and is refused nothing.',
        expr: 'sum by (code) (rate(rest_client_requests_total{code=~"4..|5.."}[5m]))',
        legend: '{{code}}',
        unit: 'reqps',
      },
      {
        title: 'Passes that failed',
        description: 'By controller. The log names the object and what to do.',
        expr: 'sum by (controller) (rate(controller_runtime_reconcile_errors_total[5m]))',
        legend: '{{controller}}',
        unit: 'ops',
      },
      {
        title: 'Who leads',
        description: 'By lease. One process each, and never two.',
        expr: 'sum by (name) (leader_election_master_status)',
        legend: '{{name}}',
      },
    ],
  },
];

const DATASOURCE = { type: 'prometheus', uid: '$datasource' };
const [WIDTH, HEIGHT, PER_LINE] = [6, 8, 4];

const renderPanel = ({ title, description, expr, legend, unit = 'short' }: Panel, at: number, top: number) => ({
  type: 'timeseries',
  ...{ title, description, datasource: DATASOURCE },
  gridPos: { h: HEIGHT, w: WIDTH, x: (at % PER_LINE) * WIDTH, y: top },
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
  targets: [{ refId: 'A', datasource: DATASOURCE, expr, legendFormat: legend }],
});

const renderRow = ({ title, panels }: Row, at: number): readonly object[] => {
  const top = at * (HEIGHT + 1);
  return [
    { type: 'row', title, collapsed: false, gridPos: { h: 1, w: 24, x: 0, y: top }, panels: [] },
    ...panels.map((panel, column) => renderPanel(panel, column, top + 1)),
  ];
};

export const renderDashboard = (): string => {
  const panels = DASHBOARD_ROWS.flatMap(renderRow).map((panel, at) => ({ id: at + 1, ...panel }));
  const dashboard = {
    ...{ uid: 'macfleet', title: 'Macfleet', tags: ['macfleet'], timezone: 'browser', schemaVersion: 39, version: 1 },
    ...{ editable: true, refresh: '1m', time: { from: 'now-6h', to: 'now' } },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }] },
    panels,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
};
