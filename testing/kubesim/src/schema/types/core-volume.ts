import type { TypeTable } from "../type-language.ts";

export const coreVolumeTypes: TypeTable = {
  prefix: "io.k8s.api.core.v1",
  source: `
AWSElasticBlockStoreVolumeSource: A volume of the kind AWSElastic Block Store.
  fsType: string
  partition: int32
  readOnly: bool
  volumeID!: string
AzureDiskVolumeSource: A volume of the kind azure disk.
  cachingMode*, diskName!, diskURI!, fsType*, kind*: string
  readOnly*: bool
AzureFileVolumeSource: A volume of the kind azure file.
  readOnly: bool
  secretName!, shareName!: string
CephFSVolumeSource: A volume of the kind ceph fs.
  monitors!: [string]
  path: string
  readOnly: bool
  secretFile: string
  secretRef: LocalObjectReference
  user: string
CinderVolumeSource: A volume of the kind cinder.
  fsType: string
  readOnly: bool
  secretRef: LocalObjectReference
  volumeID!: string
ConfigMapVolumeSource: A volume of the kind config map.
  defaultMode*: int32 default(420)
  items: [KeyToPath]
  name: string
  optional*: bool
KeyToPath: A key and the file it becomes.
  key!: string
  mode*: int32
  path!: string
CSIVolumeSource: A volume of the kind CSI.
  driver!, fsType*: string
  nodePublishSecretRef: LocalObjectReference
  readOnly*: bool
  volumeAttributes: {string}
DownwardAPIVolumeSource: A volume of the kind downward api.
  defaultMode*: int32 default(420)
  items: [DownwardAPIVolumeFile]
DownwardAPIVolumeFile: A file with a value taken from the pod itself.
  fieldRef: ObjectFieldSelector
  mode*: int32
  path!: string
  resourceFieldRef: ResourceFieldSelector
EmptyDirVolumeSource: A volume of the kind empty dir.
  medium: string
  sizeLimit: quantity
EphemeralVolumeSource: A volume of the kind ephemeral.
  readOnly: bool
  volumeClaimTemplate: PersistentVolumeClaimTemplate
PersistentVolumeClaimTemplate: The claim to create for this volume.
  metadata~: meta.ObjectMeta
  spec!~: PersistentVolumeClaimSpec
TypedLocalObjectReference: An object of any kind in the same namespace.
  apiGroup*, kind!, name!: string
FCVolumeSource: A volume of the kind FC.
  fsType: string
  lun*: int32
  readOnly: bool
  targetWWNs, wwids: [string]
FlexVolumeSource: A volume of the kind flex.
  driver!, fsType: string
  options: {string}
  readOnly: bool
  secretRef: LocalObjectReference
FlockerVolumeSource: A volume of the kind flocker.
  datasetName, datasetUUID: string
GCEPersistentDiskVolumeSource: A volume of the kind GCEPersistent Disk.
  fsType: string
  partition: int32
  pdName!: string
  readOnly: bool
GitRepoVolumeSource: A volume of the kind git repo.
  directory, repository!, revision: string
GlusterfsVolumeSource: A volume of the kind glusterfs.
  endpoints!, path!: string
  readOnly: bool
HostPathVolumeSource: A volume of the kind host path.
  path!: string
  type*: string default("")
ISCSIVolumeSource: A volume of the kind ISCSI.
  chapAuthDiscovery, chapAuthSession: bool
  fsType, initiatorName*, iqn!, iscsiInterface: string
  lun!: int32
  portals: [string]
  readOnly: bool
  secretRef: LocalObjectReference
  targetPortal!: string
NFSVolumeSource: A volume of the kind NFS.
  path!: string
  readOnly: bool
  server!: string
PersistentVolumeClaimVolumeSource: A volume of the kind persistent volume claim.
  claimName!: string
  readOnly: bool
PhotonPersistentDiskVolumeSource: A volume of the kind photon persistent disk.
  fsType, pdID!: string
PortworxVolumeSource: A volume of the kind portworx.
  fsType: string
  readOnly: bool
  volumeID!: string
ProjectedVolumeSource: A volume of the kind projected.
  defaultMode*: int32 default(420)
  sources~: [VolumeProjection]
VolumeProjection: One source inside a projected volume.
  configMap: ConfigMapProjection
  downwardAPI: DownwardAPIProjection
  secret: SecretProjection
  serviceAccountToken: ServiceAccountTokenProjection
ConfigMapProjection: Files from a config map.
  items: [KeyToPath]
  name: string
  optional*: bool
DownwardAPIProjection: Files from a downward api.
  items: [DownwardAPIVolumeFile]
SecretProjection: Files from a secret.
  items: [KeyToPath]
  name: string
  optional*: bool
ServiceAccountTokenProjection: Files from a service account token.
  audience: string
  expirationSeconds*: int64 default(3600)
  path!: string
QuobyteVolumeSource: A volume of the kind quobyte.
  group: string
  readOnly: bool
  registry!, tenant, user, volume!: string
RBDVolumeSource: A volume of the kind RBD.
  fsType, image!, keyring: string
  monitors!: [string]
  pool: string
  readOnly: bool
  secretRef: LocalObjectReference
  user: string
ScaleIOVolumeSource: A volume of the kind scale io.
  fsType, gateway!, protectionDomain: string
  readOnly: bool
  secretRef!: LocalObjectReference
  sslEnabled: bool
  storageMode, storagePool, system!, volumeName: string
SecretVolumeSource: A volume of the kind secret.
  defaultMode*: int32 default(420)
  items: [KeyToPath]
  optional*: bool
  secretName: string
StorageOSVolumeSource: A volume of the kind storage os.
  fsType: string
  readOnly: bool
  secretRef: LocalObjectReference
  volumeName, volumeNamespace: string
VsphereVirtualDiskVolumeSource: A volume of the kind vsphere virtual disk.
  fsType, storagePolicyID, storagePolicyName, volumePath!: string
SecretReference: A Secret in some namespace.
  name, namespace: string
LocalVolumeSource: A volume of the kind local.
  fsType*, path!: string
TopologySelectorTerm: Requirements on the topology of a volume.
  matchLabelExpressions: [TopologySelectorLabelRequirement]
TopologySelectorLabelRequirement: A label and its allowed values.
  key!: string
  values!: [string]
`,
};
