import { readPath, readRecord, readString, readStrings, readText } from "../../store/json-value.ts";
import type { SimObject } from "../../store/sim-api.ts";
import { ageColumn, nameColumn, type ColumnSpec } from "./table-layout.ts";

export const claimColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Status", "string", (claim) => phase(claim)],
  ["Volume", "string", (claim) => readString(claim, "spec.volumeName") ?? ""],
  ["Capacity", "string", (claim) => readString(claim, "status.capacity.storage") ?? ""],
  ["Access Modes", "string", (claim) => accessModes(readStrings(claim, "status.accessModes"))],
  ["StorageClass", "string", (claim) => readString(claim, "spec.storageClassName") ?? ""],
  ageColumn,
  ["*VolumeMode", "string", (claim) => readString(claim, "spec.volumeMode") ?? "<unset>"],
];

export const volumeColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Capacity", "string", (volume) => readString(volume, "spec.capacity.storage") ?? ""],
  ["Access Modes", "string", (volume) => accessModes(readStrings(volume, "spec.accessModes"))],
  ["Reclaim Policy", "string", (volume) => readString(volume, "spec.persistentVolumeReclaimPolicy") ?? ""],
  ["Status", "string", (volume) => phase(volume)],
  ["Claim", "string", (volume) => claimOf(volume)],
  ["StorageClass", "string", (volume) => readString(volume, "spec.storageClassName") ?? ""],
  ["Reason", "string", (volume) => readString(volume, "status.reason") ?? ""],
  ageColumn,
  ["*VolumeMode", "string", (volume) => readString(volume, "spec.volumeMode") ?? "<unset>"],
];

const defaultClassAnnotation = "storageclass.kubernetes.io/is-default-class";

export const storageClassColumns: readonly ColumnSpec[] = [
  [
    "Name",
    "string",
    ({ metadata }) =>
      metadata.annotations?.[defaultClassAnnotation] === "true"
        ? `${metadata.name} (default)`
        : metadata.name,
  ],
  ["Provisioner", "string", (storageClass) => readString(storageClass, "provisioner") ?? ""],
  ["ReclaimPolicy", "string", (storageClass) => readText(storageClass, "reclaimPolicy") ?? "Delete"],
  [
    "VolumeBindingMode",
    "string",
    (storageClass) => readText(storageClass, "volumeBindingMode") ?? "Immediate",
  ],
  [
    "AllowVolumeExpansion",
    "string",
    (storageClass) => readPath(storageClass, "allowVolumeExpansion") === true,
  ],
  ageColumn,
];

export const quotaColumns: readonly ColumnSpec[] = [
  nameColumn,
  [...ageColumn, { before: 33 }],
  ["Request", "string", (quota) => usage(quota, false)],
  ["Limit", "string", (quota) => usage(quota, true)],
  [...ageColumn, { from: 33 }],
];

function phase(object: SimObject): string {
  return object.metadata.deletionTimestamp === undefined
    ? (readString(object, "status.phase") ?? "")
    : "Terminating";
}

function claimOf(volume: SimObject): string {
  const claim = readRecord(volume, "spec.claimRef");
  return claim ? `${readString(claim, "namespace") ?? ""}/${readString(claim, "name") ?? ""}` : "";
}

const modeNames: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

function accessModes(modes: readonly string[]): string {
  return modes.map((mode) => modeNames[mode] ?? mode).join(",");
}

/** What is used of what is allowed; limits of containers stand in a column of their own. */
function usage(quota: SimObject, limits: boolean): string {
  const used = readRecord(quota, "status.used") ?? {};
  const hard = readRecord(quota, "status.hard") ?? {};
  return Object.keys(hard)
    .filter((resource) => resource.startsWith("limits.") === limits)
    .sort()
    .map((resource) => `${resource}: ${amount(used[resource])}/${amount(hard[resource])}`)
    .join(", ");
}

function amount(value: unknown): string {
  return typeof value === "string" ? value : "0";
}
