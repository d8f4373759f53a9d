/** Objects as the API shows them: the shapes that were recorded, field by field. */
import { toMicroTimestamp } from '../../base/clock.ts';
import type { SshKey } from '../../scaleway/port/cloud.ts';
import type { Catalogue, CatalogueImage, CatalogueType } from './catalogue.ts';
import { defaultImage } from './catalogue.ts';
import type { CloudCore } from './cloud-core.ts';
import type { Attachment, SimServer } from './sim-server.ts';

const SEALED = '<sealed>';
const VNC_PORT = 59_010;
/** What comes with every type. */
export const BANDWIDTH_BPS = 1_000_000_000;
const ORGANIZATION = '00000000-0000-4000-9000-000000000000';

/** `sealed` in every list and in the answer to every write. */
export const renderServer = ({ catalogue, clock }: CloudCore, server: SimServer, show: 'open' | 'sealed') => {
  const password = server.password.reveal();
  const isHidden = show === 'sealed' || server.isSealed || clock.now() < server.sealedUntilMs;
  const image = catalogue.images.find(({ id }) => id === server.osId);
  return {
    applied_runner_configuration_ids: [],
    commitment: { cancelled: false, type: server.commitment },
    created_at: toMicroTimestamp(server.createdAtMs),
    deletable_at: toMicroTimestamp(server.deletableAtMs),
    deletion_scheduled: server.isDeletionScheduled,
    delivered: server.isDelivered,
    id: server.id,
    ip: server.address,
    name: server.name,
    organization_id: ORGANIZATION,
    os: image === undefined ? renderRetired(server) : renderImage(image, []),
    project_id: server.projectId,
    public_bandwidth_bps: BANDWIDTH_BPS,
    runner_configuration: null,
    ssh_username: server.sshUser,
    status: server.status,
    sudo_password: isHidden ? SEALED : password,
    tags: [],
    type: server.type,
    updated_at: toMicroTimestamp(server.updatedAtMs),
    vnc_port: VNC_PORT,
    vnc_url: isHidden
      ? SEALED
      : `vnc://${server.sshUser}:${encodeURIComponent(password)}@${server.address}:${VNC_PORT}`,
    vpc_status: server.vpc,
    zone: server.zone,
  };
};

const supportOf = ({ types }: CatalogueImage) =>
  types.map((name) => ({ fast_delivery_available: true, server_type: name }));

/** A list says where delivery is fast; an image that is shown alone or inside a server does not. */
export const renderListedImage = (image: CatalogueImage) => renderImage(image, supportOf(image));

export const renderImage = (image: CatalogueImage, supported: ReturnType<typeof supportOf> = []) => ({
  compatible_server_types: image.types,
  description: '',
  family: image.family,
  id: image.id,
  image_url: `https://scw-apple-silicon.s3.fr-par.scw.cloud/scw-console/os/macos-${image.family.toLowerCase()}.png`,
  is_beta: image.isBeta,
  label: `macOS ${image.family} ${image.version}`,
  name: image.name,
  release_notes_url: '',
  supported_server_types: supported,
  tags: ['macos', 'apple', 'apple-license'],
  version: image.version,
  xcode_version: image.xcode,
});

/** The image that a server was installed from may be sold no more. */
const renderRetired = ({ osId, osFamily, type }: SimServer) =>
  renderImage({
    ...{ id: osId, name: `macos-${osFamily.toLowerCase()}`, family: osFamily, version: '' },
    isBeta: false,
    xcode: '',
    types: [type],
  });

export const renderType = (catalogue: Catalogue, type: CatalogueType, leaseMs: number) => {
  const image = defaultImage(catalogue, type.name);
  return {
    cpu: { core_count: type.cores, name: type.chip },
    default_os: image === undefined ? null : renderImage(image),
    disk: { capacity: type.diskGb * 1_000_000_000, type: 'SSD' },
    memory: { capacity: type.memoryGb * 1_000_000_000, type: 'LPDDR5' },
    minimum_lease_duration: `${Math.round(leaseMs / 1_000)}s`,
    name: type.name,
    network: { public_bandwidth_bps: BANDWIDTH_BPS, supported_bandwidth: [BANDWIDTH_BPS] },
    stock: type.stock,
  };
};

export const renderSshKey = ({ projectId }: CloudCore, { id, name, publicKey }: SshKey) => ({
  created_at: null,
  disabled: false,
  fingerprint: '',
  id,
  name,
  organization_id: ORGANIZATION,
  project_id: projectId,
  public_key: publicKey,
  updated_at: null,
});

export const renderAttachment = ({ projectId }: CloudCore, attachment: Attachment) => ({
  created_at: toMicroTimestamp(attachment.createdAtMs),
  id: attachment.id,
  ipam_ip_ids: attachment.ipIds,
  private_network_id: attachment.networkId,
  project_id: projectId,
  server_id: attachment.serverId,
  status: attachment.status,
  updated_at: toMicroTimestamp(attachment.updatedAtMs),
  vlan: attachment.vlan,
});
