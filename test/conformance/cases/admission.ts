/** What the server fills into Pods on its own: priorities and tolerations. */
import { chapter } from '../case.ts';
import { absent, exactly } from '../match.ts';
import { pod, priorityClass } from '../objects.ts';
import { forbidden } from '../rights.ts';

const CLASSES = '/apis/scheduling.k8s.io/v1/priorityclasses';
const toleration = (key: string, seconds = 300) => ({
  ...{ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds },
});

export const ADMISSION = [
  ...chapter('validation', 'Admission control: Priority', [
    {
      id: 'priority-of-the-system',
      steps: [
        {
          ask: `GET ${CLASSES}/system-node-critical`,
          is: 'eventual',
          expect: { status: 200, body: { value: 2_000_001_000 } },
        },
        { ask: `GET ${CLASSES}/system-cluster-critical`, expect: { status: 200, body: { value: 2_000_000_000 } } },
        {
          ask: 'POST ~/pods',
          is: 'eventual',
          send: pod('a', { priorityClassName: 'system-cluster-critical' }),
          expect: { status: 201, body: { spec: { priority: 2_000_000_000 } } },
        },
      ],
    },
    {
      id: 'priority-said-by-the-client',
      steps: [
        {
          ask: 'POST ~/pods',
          send: pod('a', { priority: 7 }),
          expect: forbidden(
            'pods "a" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
          ),
        },
        { ask: 'POST ~/pods', send: pod('a', { priority: 0 }), expect: { status: 201 } },
        {
          ask: 'POST ~/pods',
          send: pod('b', { preemptionPolicy: 'Never' }),
          expect: forbidden(
            /^pods "b" is forbidden: the string value of PreemptionPolicy \(Never\) must not be provided/,
          ),
        },
      ],
    },
    {
      id: 'priority-without-preemption',
      given: [priorityClass('priority-without-preemption', { value: 5, preemptionPolicy: 'Never' })],
      steps: [
        {
          ask: 'POST ~/pods',
          is: 'eventual',
          send: pod('a', { priorityClassName: 'priority-without-preemption' }),
          expect: { status: 201, body: { spec: { priority: 5, preemptionPolicy: 'Never' } } },
        },
        {
          ask: 'PATCH ~/pods/a',
          patch: 'merge',
          send: { metadata: { labels: { changed: 'yes' } }, spec: { priority: null, preemptionPolicy: null } },
          expect: { status: 200, body: { spec: { priority: 5, preemptionPolicy: 'Never' } } },
        },
      ],
    },
    {
      id: 'priority-class-names',
      steps: [
        {
          ask: `POST ${CLASSES}`,
          send: priorityClass('system-mine', { value: 1 }),
          expect: {
            status: 422,
            body: {
              message:
                /metadata\.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only/,
            },
          },
        },
        {
          ask: `POST ${CLASSES}`,
          send: priorityClass('too-high', { value: 1_000_000_001 }),
          expect: {
            status: 422,
            body: { message: /value: Forbidden: maximum allowed value of a user defined priority is 1000000000/ },
          },
        },
      ],
    },
  ]),
  ...chapter('validation', 'Admission control: DefaultTolerationSeconds', [
    {
      id: 'tolerations-of-its-own',
      steps: [
        {
          ask: 'POST ~/pods',
          send: pod('a', { tolerations: [toleration('not-ready', 5)] }),
          expect: {
            status: 201,
            body: { spec: { tolerations: [toleration('not-ready', 5), toleration('unreachable')] } },
          },
        },
        {
          ask: 'POST ~/pods',
          send: pod('b', { tolerations: [{ operator: 'Exists' }] }),
          expect: { status: 201, body: { spec: { tolerations: exactly([{ operator: 'Exists' }]) } } },
        },
        {
          ask: 'POST ~/pods',
          send: pod('c', {
            tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoSchedule' }],
          }),
          expect: {
            status: 201,
            body: {
              spec: {
                tolerations: [
                  { effect: 'NoSchedule', tolerationSeconds: absent },
                  toleration('not-ready'),
                  toleration('unreachable'),
                ],
              },
            },
          },
        },
      ],
    },
    {
      id: 'tolerations-once',
      given: [pod('a')],
      steps: [
        {
          ask: 'PATCH ~/pods/a',
          patch: 'merge',
          send: { metadata: { labels: { changed: 'yes' } } },
          expect: {
            status: 200,
            body: { spec: { tolerations: [toleration('not-ready'), toleration('unreachable')] } },
          },
        },
      ],
    },
  ]),
];
