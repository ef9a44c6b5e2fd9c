import { asRecord, isRecord } from "@bowline/core";

import { self } from "./facts-writer.ts";
import { defineKind, type KindFacts } from "./kind-facts.ts";
import { nameOf, scalarText, textOf, type FactFields } from "../model/read-fields.ts";
import { refer, wholeObject, type Source } from "./source.ts";

type Fields = Readonly<Record<string, unknown>>;

const secretReference = { name: true, namespace: true } as const;

/** Of each type of volume: the fields that name a Secret. */
const secretFields: Readonly<Record<string, readonly string[]>> = {
  cephfs: ["secretRef"],
  cinder: ["secretRef"],
  csi: [
    "controllerPublishSecretRef",
    "nodeStageSecretRef",
    "nodePublishSecretRef",
    "controllerExpandSecretRef",
    "nodeExpandSecretRef",
  ],
  flexVolume: ["secretRef"],
  iscsi: ["secretRef"],
  rbd: ["secretRef"],
  scaleIO: ["secretRef"],
  storageos: ["secretRef"],
};

/** Of each type of volume: the fields that say where it is. */
const placeFields: Readonly<Record<string, readonly string[]>> = {
  azureFile: ["shareName"],
  csi: ["driver", "volumeHandle"],
  flexVolume: ["driver"],
  hostPath: ["path"],
  local: ["path"],
  nfs: ["server", "path"],
};

const volumeTypes = [...new Set([...Object.keys(secretFields), ...Object.keys(placeFields)])];

const sourceFields: FactFields = Object.fromEntries(
  volumeTypes.map((type) => {
    const places = (placeFields[type] ?? []).map((name) => [name, true] as const);
    const secrets = (secretFields[type] ?? []).map((name) => [name, secretReference] as const);
    const named = type === "azureFile" ? { secretName: true, secretNamespace: true } : {};
    return [type, { ...Object.fromEntries([...places, ...secrets]), ...named } as FactFields] as const;
  }),
);

export const storageKinds: readonly KindFacts[] = [
  defineKind({
    group: "",
    kind: "PersistentVolumeClaim",
    namespaced: true,
    fields: {
      spec: {
        accessModes: true,
        resources: { requests: { storage: true } },
        storageClassName: true,
        volumeName: true,
      },
      status: { phase: true },
    },
    describe: (writer, object) => {
      const spec = asRecord(object["spec"]);
      const { requests } = asRecord(spec["resources"]);
      writer.describe({
        phase: textOf(asRecord(object["status"])["phase"]),
        storageClass: textOf(spec["storageClassName"]),
        accessModes: writer.texts(spec["accessModes"], "accessModes"),
        storage: scalarText(asRecord(requests)["storage"]),
      });
      const volume = { kind: "PersistentVolume", namespace: "", name: spec["volumeName"] } as const;
      refer(wholeObject(writer, "/spec"), { type: "BACKED_BY", ...volume, at: "/volumeName" });
    },
  }),
  defineKind({
    group: "",
    kind: "PersistentVolume",
    namespaced: false,
    fields: {
      spec: {
        accessModes: true,
        capacity: { storage: true },
        claimRef: { name: true, namespace: true },
        persistentVolumeReclaimPolicy: true,
        storageClassName: true,
        ...sourceFields,
      },
      status: { phase: true },
    },
    describe: (writer, object) => {
      const spec = asRecord(object["spec"]);
      const type = volumeTypes.find((name) => isRecord(spec[name])) ?? "";
      const content = type === "" ? {} : asRecord(spec[type]);
      const places = (placeFields[type] ?? []).map((name) => [name, textOf(content[name])] as const);
      writer.describe({
        phase: textOf(asRecord(object["status"])["phase"]),
        storageClass: textOf(spec["storageClassName"]),
        accessModes: writer.texts(spec["accessModes"], "accessModes"),
        storage: scalarText(asRecord(spec["capacity"])["storage"]),
        reclaimPolicy: textOf(spec["persistentVolumeReclaimPolicy"]),
        type,
        ...Object.fromEntries(places),
      });
      const claim = asRecord(spec["claimRef"]);
      const { name, namespace } = claim;
      if (typeof name === "string" && typeof namespace === "string") {
        const from = { kind: "PersistentVolumeClaim", namespace, name };
        writer.edge("BACKED_BY", [from, self], "/spec/claimRef");
      }
      describeSecrets(wholeObject(writer, `/spec/${type}`), type, content, nameOf(namespace) ?? "");
    },
  }),
];

/** A Secret without a namespace is looked for where the claim is. */
function describeSecrets(volume: Source, type: string, content: Fields, claimNamespace: string): void {
  const to = { type: "USES_SECRET", kind: "Secret" } as const;
  for (const field of secretFields[type] ?? []) {
    const { name, namespace } = asRecord(content[field]);
    refer(volume, { ...to, namespace: nameOf(namespace) ?? claimNamespace, name, at: `/${field}` });
  }
  if (type !== "azureFile") return;
  const { secretName, secretNamespace } = content;
  const namespace = nameOf(secretNamespace) ?? claimNamespace;
  refer(volume, { ...to, namespace, name: secretName, at: "/secretName" });
}
