/** What a Pod may ask for that a virtual machine cannot give. It is refused with a sentence, never ignored. Pure. */
import type { Container, Pod, PodSpec } from '../../kube/types/pod.ts';

/** Why the Pod cannot run on this Node; undefined when it can. */
export const refusePod = ({ spec }: Pod): string | undefined => {
  const reasons = [...refuseSpec(spec), ...spec.containers.flatMap(refuseContainer)];
  return reasons.length === 0 ? undefined : `this Node runs Pods as virtual machines: ${reasons.join('; ')}`;
};

const refuseSpec = (spec: PodSpec): readonly string[] => [
  ...(spec.containers.length > 1 ? [`one container per Pod, not ${spec.containers.length}`] : []),
  ...((spec.initContainers ?? []).length > 0 ? ['no init containers; prepare the image instead'] : []),
  ...((spec.ephemeralContainers ?? []).length > 0
    ? ['no ephemeral containers; use kubectl logs or the VNC relay']
    : []),
  ...(spec.os === undefined ? [] : [`no Pods for ${spec.os.name}; this Node is a Mac`]),
  ...(spec.hostNetwork === true ? ['no hostNetwork; a VM has a network of its own'] : []),
  ...(spec.hostPID === true || spec.hostIPC === true ? ['no hostPID and no hostIPC'] : []),
  ...(spec.volumes ?? [])
    .filter((volume) => !isTokenVolume(volume))
    .map(({ name }) => `no volume of this type: ${name}`),
];

/** The one kind of volume that there is: tokens of the ServiceAccount, which the kube-root-ca and namespace files go with. */
const isTokenVolume = ({ projected }: NonNullable<PodSpec['volumes']>[number]): boolean =>
  projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined) === true;

const refuseContainer = (container: Container): readonly string[] => [
  ...(container.image === undefined || container.image === '' ? [`container ${container.name} has no image`] : []),
  ...((container.volumeDevices ?? []).length > 0 ? ['no volumeDevices'] : []),
  ...(container.env ?? [])
    .filter(({ valueFrom }) => valueFrom?.fileKeyRef !== undefined)
    .map(({ name }) => `no env from files: ${name}`),
];
