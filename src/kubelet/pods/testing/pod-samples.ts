/** Pods for tests. */
import type { Container, Pod, PodSpec } from '../../../kube/types/pod.ts';

export const UID = '11111111-2222-4333-8444-555555555555';

export interface SamplePod {
  readonly metadata?: Partial<Pod['metadata']>;
  readonly container?: Partial<Container>;
  readonly spec?: Partial<PodSpec>;
  readonly status?: Pod['status'];
}

export const samplePod = ({ metadata, container, spec, status }: SamplePod = {}): Pod => ({
  metadata: { namespace: 'ns', name: 'job', uid: UID, resourceVersion: '1', ...metadata },
  spec: {
    nodeName: 'mac-1',
    containers: [{ name: 'main', image: 'ghcr.io/acme/macos:1', ...container }],
    restartPolicy: 'Never',
    ...spec,
  },
  ...(status !== undefined && { status }),
});
