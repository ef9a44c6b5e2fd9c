import type { SimObject } from "../../store/sim-api.ts";
import type { ObjectReference } from "./meta.ts";

export interface PersistentVolumeClaim extends SimObject {
  spec: {
    accessModes?: string[];
    resources?: { requests?: Record<string, string> };
    storageClassName?: string;
    volumeName?: string;
    volumeMode?: string;
  };
  status?: {
    phase?: "Pending" | "Bound" | "Lost";
    accessModes?: string[];
    capacity?: Record<string, string>;
  };
}

export interface PersistentVolume extends SimObject {
  spec: {
    capacity?: Record<string, string>;
    accessModes?: string[];
    claimRef?: ObjectReference;
    persistentVolumeReclaimPolicy?: string;
    storageClassName?: string;
    volumeMode?: string;
    [source: string]: unknown;
  };
  status?: { phase?: "Available" | "Bound" | "Released" };
}

export interface StorageClass extends SimObject {
  provisioner: string;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
}
