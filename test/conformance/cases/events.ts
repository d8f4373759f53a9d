/** Events in both of their forms: one object, told in the words of the core group and of events.k8s.io. */
import { chapter } from '../case.ts';
import { absent, including } from '../match.ts';
import { event, invalid } from '../objects.ts';

const NEW = '~events.k8s.io/v1/events';
const TIME = '2026-11-16T03:00:00.123456Z';
const told = (more: object = {}) => ({
  ...{ apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name: 'a' } },
  ...{ eventTime: TIME, reportingController: 'macfleet.dev/test', reportingInstance: 'test-1', action: 'Testing' },
  ...{
    reason: 'Tested',
    type: 'Normal',
    note: 'all is well',
    regarding: { kind: 'Pod', name: 'p', namespace: '<ns>' },
  },
  ...more,
});
const create = (id: string, more: object, ...causes: readonly (readonly [string, string])[]) => ({
  id,
  steps: [{ ask: `POST ${NEW}`, send: told(more), expect: invalid(/^Event "a" is invalid: /, ...causes) }],
});

export const EVENTS = [
  ...chapter('verbs', 'Event v1 events.k8s.io', [
    {
      id: 'event-new-read-as-core',
      steps: [
        {
          ask: `POST ${NEW}`,
          send: told(),
          expect: {
            status: 201,
            body: {
              ...{
                apiVersion: 'events.k8s.io/v1',
                kind: 'Event',
                note: 'all is well',
                message: absent,
                eventTime: TIME,
              },
              ...{ regarding: { name: 'p' }, reportingController: 'macfleet.dev/test' },
            },
          },
        },
        {
          ask: 'GET ~/events/a',
          expect: {
            status: 200,
            body: {
              ...{
                apiVersion: 'v1',
                kind: 'Event',
                message: 'all is well',
                note: absent,
                involvedObject: { name: 'p' },
              },
              ...{ reportingComponent: 'macfleet.dev/test', reportingInstance: 'test-1', action: 'Testing' },
            },
          },
        },
      ],
    },
    {
      id: 'event-core-read-as-new',
      given: [
        event('a', {
          ...{ involvedObject: { kind: 'Pod', name: 'p', namespace: 'event-core-read-as-new' }, reason: 'Seen' },
          ...{ message: 'hello', count: 3, source: { component: 'x' }, lastTimestamp: '2026-11-16T03:00:00Z' },
        }),
      ],
      steps: [
        {
          ask: `GET ${NEW}/a`,
          expect: {
            status: 200,
            body: {
              ...{ apiVersion: 'events.k8s.io/v1', note: 'hello', deprecatedCount: 3, regarding: { kind: 'Pod' } },
              ...{
                deprecatedSource: { component: 'x' },
                deprecatedLastTimestamp: '2026-11-16T03:00:00Z',
                count: absent,
              },
            },
          },
        },
        {
          ask: `GET ${NEW}`,
          expect: {
            status: 200,
            body: { kind: 'EventList', apiVersion: 'events.k8s.io/v1', items: [{ note: 'hello' }] },
          },
        },
      ],
    },
    {
      id: 'event-new-selected',
      steps: [
        { ask: `POST ${NEW}`, send: told(), expect: { status: 201 } },
        {
          ask: `GET ${NEW}?fieldSelector=regarding.name%3Dp,reportingController%3Dmacfleet.dev/test`,
          expect: { status: 200, body: { items: [{ metadata: { name: 'a' } }] } },
        },
        {
          ask: `GET ${NEW}?fieldSelector=regarding.name%3Dq`,
          expect: { status: 200, body: { items: [] } },
        },
        { ask: `GET ${NEW}?fieldSelector=involvedObject.name%3Dp`, expect: { status: 400 } },
        {
          ask: 'GET ~/events?fieldSelector=source%3Dmacfleet.dev/test',
          expect: { status: 200, body: { items: [{ metadata: { name: 'a' } }] } },
        },
      ],
    },
    {
      id: 'event-new-series',
      steps: [
        { ask: `POST ${NEW}`, send: told(), expect: { status: 201 } },
        {
          ask: `PATCH ${NEW}/a`,
          patch: 'merge',
          send: { series: { count: 2, lastObservedTime: TIME } },
          expect: { status: 200, body: { series: { count: 2 }, note: 'all is well' } },
        },
        {
          ask: `PATCH ${NEW}/a`,
          patch: 'strategic',
          send: { series: { count: 3 } },
          expect: { status: 200, body: { series: { count: 3, lastObservedTime: TIME } } },
        },
        { ask: 'GET ~/events/a', expect: { status: 200, body: { series: { count: 3 } } } },
        {
          ask: `POST ${NEW}`,
          send: told(),
          expect: { status: 409, body: { message: 'events.events.k8s.io "a" already exists' } },
        },
        {
          ask: `PATCH ${NEW}/a`,
          patch: 'merge',
          send: { note: 'other words' },
          expect: { status: 422, body: { message: /message: Invalid value: "other words": field is immutable/ } },
        },
      ],
    },
    create('event-new-untimed', { eventTime: null }, ['eventTime', 'FieldValueRequired']),
    create('event-new-of-no-type', { type: 'Loud' }, ['type', 'FieldValueInvalid']),
    create('event-new-by-nobody', { reportingInstance: '' }, ['reportingInstance', 'FieldValueRequired']),
    create('event-new-with-the-old', { deprecatedCount: 2 }, ['count', 'FieldValueInvalid']),
    create('event-new-short-series', { series: { count: 1, lastObservedTime: TIME } }, [
      'series.count',
      'FieldValueInvalid',
    ]),
    {
      id: 'event-new-deleted',
      steps: [
        { ask: `POST ${NEW}`, send: told(), expect: { status: 201 } },
        { ask: `DELETE ${NEW}/a`, expect: { status: 200 } },
        { ask: 'GET ~/events/a', expect: { status: 404 } },
        { ask: `GET ${NEW}/a`, expect: { status: 404, body: { message: 'events.events.k8s.io "a" not found' } } },
      ],
    },
    {
      id: 'event-table',
      steps: [
        { ask: `POST ${NEW}`, send: told(), expect: { status: 201 } },
        ...[NEW, '~/events'].map((path) => ({
          ask: `GET ${path}`,
          headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
          expect: {
            status: 200,
            body: {
              columnDefinitions: [
                ...['Last Seen', 'Type', 'Reason', 'Object'].map((name) => ({ name, priority: 0 })),
                ...['Subobject', 'Source'].map((name) => ({ name, priority: 1 })),
                { name: 'Message', priority: 0 },
                ...['First Seen', 'Count', 'Name'].map((name) => ({ name, priority: 1 })),
              ],
              rows: [
                { cells: including('Normal', 'Tested', 'pod/p', 'all is well', 'macfleet.dev/test, test-1', 'a') },
              ],
            },
          },
        })),
      ],
    },
  ]),
  ...chapter('watch', 'Event v1 events.k8s.io', [
    {
      id: 'event-new-watched',
      steps: [
        {
          watch: `${NEW}?watch=true`,
          meanwhile: [{ ask: `POST ${NEW}`, send: told(), expect: { status: 201 } }],
          lines: [{ type: 'ADDED', object: { apiVersion: 'events.k8s.io/v1', note: 'all is well', message: absent } }],
        },
      ],
    },
  ]),
];
