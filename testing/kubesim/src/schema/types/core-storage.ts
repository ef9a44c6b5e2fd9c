import type { TypeTable } from "../type-language.ts";

export const coreStorageTypes: TypeTable = {
  prefix: "io.k8s.api.core.v1",
  source: `
PersistentVolumeClaimSpec: The storage that is asked for.
  accessModes: [string] enum(ReadOnlyMany, ReadWriteMany, ReadWriteOnce, ReadWriteOncePod)
  dataSource: TypedLocalObjectReference
  resources~: ResourceRequirements
  selector: meta.LabelSelector
  storageClassName*: string
  volumeMode*: string default(Filesystem) enum(Block, Filesystem)
  volumeName: string
  dataSourceRef: TypedLocalObjectReference
PersistentVolumeClaim: A request for storage.
  metadata~: meta.ObjectMeta
  spec~: PersistentVolumeClaimSpec
  status~: PersistentVolumeClaimStatus
PersistentVolumeClaimStatus: What was last seen of the persistent volume claim.
  accessModes: [string]
  capacity: {quantity}
  conditions: [PersistentVolumeClaimCondition] merge(type)
  phase: string default(Pending)
PersistentVolumeClaimCondition: One aspect of the state of the persistent volume claim.
  lastProbeTime~, lastTransitionTime~: time
  message, reason, status!, type!: string
PersistentVolume: A piece of storage in the cluster.
  metadata~: meta.ObjectMeta
  spec~: PersistentVolumeSpec
  status~: PersistentVolumeStatus
PersistentVolumeSpec: Where the storage is and who may have it.
  accessModes: [string] enum(ReadOnlyMany, ReadWriteMany, ReadWriteOnce, ReadWriteOncePod)
  awsElasticBlockStore: AWSElasticBlockStoreVolumeSource
  azureDisk: AzureDiskVolumeSource
  azureFile: AzureFilePersistentVolumeSource
  capacity: {quantity}
  cephfs: CephFSPersistentVolumeSource
  cinder: CinderPersistentVolumeSource
  claimRef: ObjectReference
  csi: CSIPersistentVolumeSource
  fc: FCVolumeSource
  flexVolume: FlexPersistentVolumeSource
  flocker: FlockerVolumeSource
  gcePersistentDisk: GCEPersistentDiskVolumeSource
  glusterfs: GlusterfsPersistentVolumeSource
  hostPath: HostPathVolumeSource
  iscsi: ISCSIPersistentVolumeSource
  local: LocalVolumeSource
  mountOptions: [string]
  nfs: NFSVolumeSource
  nodeAffinity: VolumeNodeAffinity
  persistentVolumeReclaimPolicy: string default(Retain) enum(Delete, Recycle, Retain)
  photonPersistentDisk: PhotonPersistentDiskVolumeSource
  portworxVolume: PortworxVolumeSource
  quobyte: QuobyteVolumeSource
  rbd: RBDPersistentVolumeSource
  scaleIO: ScaleIOPersistentVolumeSource
  storageClassName: string
  storageos: StorageOSPersistentVolumeSource
  volumeMode*: string default(Filesystem) enum(Block, Filesystem)
  vsphereVolume: VsphereVirtualDiskVolumeSource
AzureFilePersistentVolumeSource: Storage of the kind azure file, for a persistent volume.
  readOnly: bool
  secretName!, secretNamespace~, shareName!: string
CephFSPersistentVolumeSource: Storage of the kind ceph fs, for a persistent volume.
  monitors!: [string]
  path: string
  readOnly: bool
  secretFile: string
  secretRef: SecretReference
  user: string
CinderPersistentVolumeSource: Storage of the kind cinder, for a persistent volume.
  fsType: string
  readOnly: bool
  secretRef: SecretReference
  volumeID!: string
CSIPersistentVolumeSource: Storage of the kind CSI, for a persistent volume.
  controllerExpandSecretRef, controllerPublishSecretRef: SecretReference
  driver!, fsType: string
  nodePublishSecretRef, nodeStageSecretRef: SecretReference
  readOnly: bool
  volumeAttributes: {string}
  volumeHandle!: string
FlexPersistentVolumeSource: Storage of the kind flex, for a persistent volume.
  driver!, fsType: string
  options: {string}
  readOnly: bool
  secretRef: SecretReference
GlusterfsPersistentVolumeSource: Storage of the kind glusterfs, for a persistent volume.
  endpoints!, endpointsNamespace*, path!: string
  readOnly: bool
ISCSIPersistentVolumeSource: Storage of the kind ISCSI, for a persistent volume.
  chapAuthDiscovery, chapAuthSession: bool
  fsType, initiatorName*, iqn!, iscsiInterface: string
  lun!: int32
  portals: [string]
  readOnly: bool
  secretRef: SecretReference
  targetPortal!: string
VolumeNodeAffinity: Nodes that can reach the volume.
  required: NodeSelector
RBDPersistentVolumeSource: Storage of the kind RBD, for a persistent volume.
  fsType, image!, keyring: string
  monitors!: [string]
  pool: string
  readOnly: bool
  secretRef: SecretReference
  user: string
ScaleIOPersistentVolumeSource: Storage of the kind scale io, for a persistent volume.
  fsType, gateway!, protectionDomain: string
  readOnly: bool
  secretRef!: SecretReference
  sslEnabled: bool
  storageMode, storagePool, system!, volumeName: string
StorageOSPersistentVolumeSource: Storage of the kind storage os, for a persistent volume.
  fsType: string
  readOnly: bool
  secretRef: ObjectReference
  volumeName, volumeNamespace: string
PersistentVolumeStatus: What was last seen of the persistent volume.
  message: string
  phase: string default(Pending)
  reason: string
`,
};
