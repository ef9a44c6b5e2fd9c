import { coreStorageTypes } from "../../schema/types/core-storage.ts";
import type { NumberTable } from "../field-numbers.ts";

export const coreStorageNumbers: NumberTable = {
  prefix: coreStorageTypes.prefix,
  source: `
PersistentVolumeClaimSpec: accessModes resources volumeName selector storageClassName volumeMode dataSource
  dataSourceRef
PersistentVolumeClaim: metadata spec status
PersistentVolumeClaimStatus: phase accessModes capacity conditions
PersistentVolumeClaimCondition: type status lastProbeTime lastTransitionTime reason message
PersistentVolume: metadata spec status
PersistentVolumeSpec: capacity {gcePersistentDisk awsElasticBlockStore hostPath glusterfs nfs rbd iscsi cinder
  cephfs fc flocker flexVolume azureFile vsphereVolume quobyte azureDisk photonPersistentDisk portworxVolume
  scaleIO local storageos csi} accessModes claimRef persistentVolumeReclaimPolicy storageClassName
  mountOptions volumeMode nodeAffinity
AzureFilePersistentVolumeSource: secretName shareName readOnly secretNamespace
CephFSPersistentVolumeSource: monitors path user secretFile secretRef readOnly
CinderPersistentVolumeSource: volumeID fsType readOnly secretRef
CSIPersistentVolumeSource: driver volumeHandle readOnly fsType volumeAttributes controllerPublishSecretRef
  nodeStageSecretRef nodePublishSecretRef controllerExpandSecretRef
FlexPersistentVolumeSource: driver fsType secretRef readOnly options
GlusterfsPersistentVolumeSource: endpoints path readOnly endpointsNamespace
ISCSIPersistentVolumeSource: targetPortal iqn lun iscsiInterface fsType readOnly portals chapAuthDiscovery 10
  secretRef chapAuthSession initiatorName
VolumeNodeAffinity: required
RBDPersistentVolumeSource: monitors image fsType pool user keyring secretRef readOnly
ScaleIOPersistentVolumeSource: gateway system secretRef sslEnabled protectionDomain storagePool storageMode
  volumeName fsType readOnly
StorageOSPersistentVolumeSource: volumeName volumeNamespace fsType readOnly secretRef
PersistentVolumeStatus: phase message reason
`,
};
