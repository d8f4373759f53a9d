/** What a Pod may ask for that a virtual machine cannot give. It is refused with a sentence, never ignored. Pure. */
import type { Container, Pod, PodSpec } from '../../kube/types/pod.ts';
import { GIVEN_VOLUME } from './tokens.ts';

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
  ...(spec.shareProcessNamespace === true ? ['no shareProcessNamespace; a VM has processes of its own'] : []),
  ...(spec.runtimeClassName ? [`no runtimeClassName: ${spec.runtimeClassName}`] : []),
  ...((spec.hostAliases ?? []).length > 0 ? ['no hostAliases; put names into the image'] : []),
  ...(asksOthers(spec) ? ['no dnsConfig with nameservers or searches; a VM asks whom its Mac asks'] : []),
  ...(spec.resourceClaims ?? []).map(({ name }) => `no resourceClaims: ${name}`),
  ...(spec.volumes ?? [])
    .filter((volume) => !isTokenVolume(volume))
    .map(({ name }) => `no volume of this type: ${name}`),
];

const asksOthers = ({ dnsConfig }: PodSpec): boolean =>
  [...(dnsConfig?.nameservers ?? []), ...(dnsConfig?.searches ?? [])].length > 0;

type Volume = NonNullable<PodSpec['volumes']>[number];

/** The one kind of volume that there is: tokens of the ServiceAccount, and nothing else beside them. */
const isTokenVolume = ({ name, projected }: Volume): boolean => {
  const sources = projected?.sources ?? [];
  const isGiven = name.startsWith(GIVEN_VOLUME);
  return (
    sources.length > 0 &&
    sources.every(
      ({ serviceAccountToken, configMap, downwardAPI }) =>
        serviceAccountToken !== undefined || (isGiven && (configMap ?? downwardAPI) !== undefined),
    )
  );
};

const refuseContainer = (container: Container): readonly string[] => [
  ...(container.image === undefined || container.image === '' ? [`container ${container.name} has no image`] : []),
  ...((container.volumeDevices ?? []).length > 0 ? ['no volumeDevices'] : []),
  ...(container.ports ?? []).flatMap(refusePort),
  ...(container.env ?? [])
    .filter(({ valueFrom }) => valueFrom?.fileKeyRef !== undefined)
    .map(({ name }) => `no env from files: ${name}`),
];

type ContainerPort = NonNullable<Container['ports']>[number];

/** A port of the VM alone is only a word; one of the host is passed on, at the Mac's own address. */
const refusePort = ({ hostPort, hostIP, protocol = 'TCP' }: ContainerPort): readonly string[] => {
  if (hostPort === undefined) return [];
  return [
    ...(protocol === 'TCP' ? [] : [`no hostPort for ${protocol}: ${hostPort}`]),
    ...(hostIP === undefined || EVERYWHERE.includes(hostIP) ? [] : [`no hostIP: ${hostIP}`]),
  ];
};

const EVERYWHERE = ['', '0.0.0.0', '::'];
