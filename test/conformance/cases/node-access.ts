/** What the agent on a Node may do: the Node authorizer and the admission plugin NodeRestriction. */
import { chapter } from '../case.ts';
import { configMap, lease, node, pod, secret } from '../objects.ts';
import { forbidden } from '../rights.ts';

const nodeUser = (name: string) => ({ name: `system:node:${name}`, groups: ['system:nodes'] });

export const NODE_ACCESS = [
  ...chapter('access', 'Using Node authorization', [
    {
      id: 'node-reads-what-its-pods-name',
      given: [
        secret('mine'),
        secret('other'),
        configMap('mine'),
        pod('a', {
          nodeName: 'nr-1',
          volumes: [
            { name: 's', secret: { secretName: 'mine' } },
            { name: 'c', configMap: { name: 'mine' } },
          ],
        }),
      ],
      steps: [
        { ask: 'GET ~/secrets/mine', as: nodeUser('nr-1'), is: 'eventual', expect: { status: 200 } },
        { ask: 'GET ~/configmaps/mine', as: nodeUser('nr-1'), expect: { status: 200 } },
        {
          ask: 'GET ~/secrets/other',
          as: nodeUser('nr-1'),
          expect: forbidden(
            `secrets "other" is forbidden: User "system:node:nr-1" cannot get resource "secrets" in API group "" in the namespace "node-reads-what-its-pods-name": no relationship found between node 'nr-1' and this object`,
          ),
        },
        { ask: 'GET ~/secrets/mine', as: nodeUser('nr-2'), expect: { status: 403 } },
        { ask: 'GET ~/secrets', as: nodeUser('nr-1'), expect: forbidden(/cannot list resource "secrets"/) },
      ],
    },
    {
      id: 'node-lists-its-pods',
      given: [pod('a', { nodeName: 'nl-1' })],
      steps: [
        {
          ask: 'GET /api/v1/pods?fieldSelector=spec.nodeName%3Dnl-1',
          as: nodeUser('nl-1'),
          expect: { status: 200, body: { items: [{}] } },
        },
        { ask: 'GET /api/v1/pods', as: nodeUser('nl-1'), expect: { status: 403 } },
      ],
    },
    {
      id: 'node-writes-its-lease',
      steps: [
        {
          ask: 'POST /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
          as: nodeUser('le-1'),
          send: lease('le-1'),
          expect: { status: 201 },
        },
        {
          ask: 'POST /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
          as: nodeUser('le-1'),
          send: lease('le-2'),
          expect: { status: 403 },
        },
      ],
    },
  ]),
  ...chapter('access', 'Admission: NodeRestriction', [
    {
      id: 'node-restriction-own-node',
      steps: [
        { ask: 'POST /api/v1/nodes', as: nodeUser('re-1'), send: node('re-1'), expect: { status: 201 } },
        {
          ask: 'POST /api/v1/nodes',
          as: nodeUser('re-1'),
          send: node('re-2'),
          expect: forbidden(/node "re-1" is not allowed to modify node "re-2"/),
        },
        {
          ask: 'PATCH /api/v1/nodes/re-1',
          as: nodeUser('re-1'),
          patch: 'merge',
          send: { metadata: { labels: { 'node-restriction.kubernetes.io/x': 'y' } } },
          expect: forbidden(/is not allowed to modify labels: node-restriction\.kubernetes\.io\/x/),
        },
        {
          ask: 'PATCH /api/v1/nodes/re-1',
          as: nodeUser('re-1'),
          patch: 'merge',
          send: { metadata: { labels: { 'example.org/x': 'y' } } },
          expect: { status: 200 },
        },
        {
          ask: 'PATCH /api/v1/nodes/re-1',
          as: nodeUser('re-1'),
          patch: 'merge',
          send: { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
          expect: forbidden(/is not allowed to modify taints/),
        },
      ],
    },
    {
      id: 'node-restriction-pods',
      given: [pod('a', { nodeName: 'rp-1' }), pod('b', { nodeName: 'rp-2' }), pod('c', { nodeName: 'rp-1' })],
      steps: [
        {
          ask: 'PATCH ~/pods/a/status',
          as: nodeUser('rp-1'),
          patch: 'merge',
          send: { status: { phase: 'Running' } },
          is: 'eventual',
          expect: { status: 200 },
        },
        {
          ask: 'PATCH ~/pods/b/status',
          as: nodeUser('rp-1'),
          patch: 'merge',
          send: { status: { phase: 'Running' } },
          expect: { status: 403 },
        },
        {
          ask: 'PATCH ~/pods/a',
          as: nodeUser('rp-1'),
          patch: 'merge',
          send: { metadata: { labels: { x: 'y' } } },
          expect: { status: 403 },
        },
        { ask: 'DELETE ~/pods/c', as: nodeUser('rp-1'), send: { gracePeriodSeconds: 0 }, expect: { status: 200 } },
        { ask: 'DELETE ~/pods/b', as: nodeUser('rp-1'), expect: { status: 403 } },
        {
          ask: 'POST ~/pods',
          as: nodeUser('rp-1'),
          send: pod('d', { nodeName: 'rp-1' }),
          expect: forbidden(
            /pod does not have "kubernetes\.io\/config\.mirror" annotation, node "rp-1" can only create mirror pods/,
          ),
        },
      ],
    },
  ]),
];
