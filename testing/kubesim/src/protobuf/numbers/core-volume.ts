import { coreVolumeTypes } from "../../schema/types/core-volume.ts";
import type { NumberTable } from "../field-numbers.ts";

export const coreVolumeNumbers: NumberTable = {
  prefix: coreVolumeTypes.prefix,
  source: `
AWSElasticBlockStoreVolumeSource: volumeID fsType partition readOnly
AzureDiskVolumeSource: diskName diskURI cachingMode fsType readOnly kind
AzureFileVolumeSource: secretName shareName readOnly
CephFSVolumeSource: monitors path user secretFile secretRef readOnly
CinderVolumeSource: volumeID fsType readOnly secretRef
ConfigMapVolumeSource: {name} items defaultMode optional
KeyToPath: key path mode
CSIVolumeSource: driver readOnly fsType volumeAttributes nodePublishSecretRef
DownwardAPIVolumeSource: items defaultMode
DownwardAPIVolumeFile: path fieldRef resourceFieldRef mode
EmptyDirVolumeSource: medium sizeLimit
EphemeralVolumeSource: volumeClaimTemplate readOnly
PersistentVolumeClaimTemplate: metadata spec
TypedLocalObjectReference: apiGroup kind name
FCVolumeSource: targetWWNs lun fsType readOnly wwids
FlexVolumeSource: driver fsType secretRef readOnly options
FlockerVolumeSource: datasetName datasetUUID
GCEPersistentDiskVolumeSource: pdName fsType partition readOnly
GitRepoVolumeSource: repository revision directory
GlusterfsVolumeSource: endpoints path readOnly
HostPathVolumeSource: path type
ISCSIVolumeSource: targetPortal iqn lun iscsiInterface fsType readOnly portals chapAuthDiscovery 10 secretRef
  chapAuthSession initiatorName
NFSVolumeSource: server path readOnly
PersistentVolumeClaimVolumeSource: claimName readOnly
PhotonPersistentDiskVolumeSource: pdID fsType
PortworxVolumeSource: volumeID fsType readOnly
ProjectedVolumeSource: sources defaultMode
VolumeProjection: secret downwardAPI configMap serviceAccountToken
ConfigMapProjection: {name} items 4 optional
DownwardAPIProjection: items
SecretProjection: {name} items 4 optional
ServiceAccountTokenProjection: audience expirationSeconds path
QuobyteVolumeSource: registry volume readOnly user group tenant
RBDVolumeSource: monitors image fsType pool user keyring secretRef readOnly
ScaleIOVolumeSource: gateway system secretRef sslEnabled protectionDomain storagePool storageMode volumeName
  fsType readOnly
SecretVolumeSource: secretName items defaultMode optional
StorageOSVolumeSource: volumeName volumeNamespace fsType readOnly secretRef
VsphereVirtualDiskVolumeSource: volumePath fsType storagePolicyName storagePolicyID
SecretReference: name namespace
LocalVolumeSource: path fsType
TopologySelectorTerm: matchLabelExpressions
TopologySelectorLabelRequirement: key values
`,
};
