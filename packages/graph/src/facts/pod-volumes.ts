import { asRecord, isRecord } from "@bowline/core";

import { volumeRef } from "../model/node.ts";
import type { EdgeEnd } from "../model/object-facts.ts";
import { self, type ReadProperties } from "./facts-writer.ts";
import { imageUse } from "./image.ts";
import { listOf, nameOf, textOf, trueOf, type FactFields } from "../model/read-fields.ts";
import { refer, referToConfigMap, referToSecret, type Source } from "./source.ts";

type Fields = Readonly<Record<string, unknown>>;

const secretName = { secretName: true } as const;
const secretRef = { secretRef: { name: true } } as const;
const chosenKeys = { optional: true, items: { key: true } } as const;
const projection = { name: true, ...chosenKeys } as const;

/** By type of volume: a volume is of the type whose field it has. */
const typeFields: FactFields = {
  secret: { ...secretName, ...chosenKeys },
  configMap: projection,
  projected: {
    sources: { secret: projection, configMap: projection, serviceAccountToken: { audience: true } },
  },
  persistentVolumeClaim: { claimName: true, readOnly: true },
  ephemeral: {},
  csi: {
    driver: true,
    readOnly: true,
    nodePublishSecretRef: { name: true },
    volumeAttributes: { secretProviderClass: true },
  },
  hostPath: { path: true },
  emptyDir: { medium: true },
  downwardAPI: {},
  image: { reference: true },
  nfs: { server: true, path: true, readOnly: true },
  awsElasticBlockStore: {},
  azureDisk: {},
  azureFile: secretName,
  cephfs: secretRef,
  cinder: secretRef,
  fc: {},
  flexVolume: { driver: true, ...secretRef },
  gcePersistentDisk: {},
  gitRepo: {},
  glusterfs: {},
  iscsi: secretRef,
  rbd: secretRef,
  scaleIO: secretRef,
  storageos: secretRef,
  vsphereVolume: {},
};

const volumeTypes = Object.keys(typeFields);

/** By type of volume: the fields that are properties of it. */
const toldFields: Readonly<Record<string, readonly string[]>> = {
  persistentVolumeClaim: ["readOnly"],
  csi: ["driver", "readOnly"],
  hostPath: ["path"],
  emptyDir: ["medium"],
  nfs: ["server", "path", "readOnly"],
  flexVolume: ["driver"],
};

export const volumeFields: FactFields = { name: true, ...typeFields };

/** A pod, whose volumes are nodes of their own, or a template, which stands for those of its pods. */
export interface PodSource extends Source {
  readonly isPod: boolean;
}

/** What is behind the volumes; gives the node of each by its name. */
export function describeVolumes(pod: PodSource, volumes: unknown): ReadonlyMap<string, EdgeEnd> {
  const nodes = new Map<string, EdgeEnd>();
  for (const [index, value] of listOf(volumes).entries()) {
    const volume = asRecord(value);
    const name = nameOf(volume["name"]) ?? "";
    const type = volumeTypes.find((field) => isRecord(volume[field])) ?? "";
    const content = type === "" ? {} : asRecord(volume[type]);
    const at = `${pod.at}/volumes/${index}`;
    const from = pod.isPod ? volumeNode(pod, { name, type, content, at }) : self;
    if (from !== self) nodes.set(name, from);
    const source = { writer: pod.writer, from, at, said: from === self ? { volume: name } : undefined };
    describeContent(source, type, content);
    // The claim is made for this pod and named after it.
    if (type === "ephemeral" && pod.isPod) claim(source, `${pod.writer.node.name}-${name}`, "/ephemeral");
  }
  return nodes;
}

interface Volume {
  readonly name: string;
  readonly type: string;
  readonly content: Fields;
  readonly at: string;
}

function volumeNode({ writer }: PodSource, { name, type, content, at }: Volume): EdgeEnd {
  const { node } = writer;
  if (name === "") return self;
  const part = writer.part(volumeRef(node.namespace, node.name, name), volumeProperties(type, content));
  if (part !== self) writer.edge("USES_VOLUME", [self, part], at);
  return part;
}

function volumeProperties(type: string, content: Fields): ReadProperties {
  const told = (toldFields[type] ?? []).map((name) => {
    return [name, trueOf(content[name]) ?? textOf(content[name])] as const;
  });
  return {
    type,
    ...Object.fromEntries(told),
    ...(type === "csi" ? { secretProviderClass: providerClass(content) } : {}),
    ...(type === "projected" ? tokenProperties(content) : {}),
  };
}

/** Where a driver takes secrets from that are in no Secret. */
function providerClass({ volumeAttributes }: Fields): string | undefined {
  return textOf(asRecord(volumeAttributes)["secretProviderClass"]);
}

/** Whether a token of the pod's ServiceAccount is in a volume, for whomever it is. */
export function projectsToken(volume: unknown): boolean {
  return tokensIn(asRecord(asRecord(volume)["projected"])).length > 0;
}

function tokensIn(projected: Fields): Fields[] {
  return listOf(projected["sources"]).flatMap((item) => {
    const { serviceAccountToken } = asRecord(item);
    return isRecord(serviceAccountToken) ? [serviceAccountToken] : [];
  });
}

/** Whether a token of the pod's ServiceAccount is in it, and for whom but the API server. */
function tokenProperties(content: Fields): ReadProperties {
  const tokens = tokensIn(content);
  if (tokens.length === 0) return {};
  return {
    serviceAccountToken: true,
    audiences: tokens.slice(0, 100).flatMap(({ audience }) => textOf(audience) ?? []),
  };
}

function describeContent(source: Source, type: string, content: Fields): void {
  switch (type) {
    case "secret":
      referToSecret(source, content["secretName"], "/secret", usedKeys(content));
      break;
    case "configMap":
      referToConfigMap(source, content["name"], "/configMap", usedKeys(content));
      break;
    case "projected":
      describeProjection(source, content);
      break;
    case "persistentVolumeClaim":
      claim(source, content["claimName"], "/persistentVolumeClaim");
      break;
    case "csi":
      referToSecret(source, asRecord(content["nodePublishSecretRef"])["name"], "/csi/nodePublishSecretRef");
      break;
    case "azureFile":
      referToSecret(source, content["secretName"], "/azureFile/secretName");
      break;
    case "image":
      describeImage(source, content);
      break;
    case "cephfs":
    case "cinder":
    case "flexVolume":
    case "iscsi":
    case "rbd":
    case "scaleIO":
    case "storageos":
      referToSecret(source, asRecord(content["secretRef"])["name"], `/${type}/secretRef`);
      break;
    default:
  }
}

function describeProjection(source: Source, content: Fields): void {
  for (const [index, item] of listOf(content["sources"]).entries()) {
    const { secret, configMap } = asRecord(item);
    const at = `/projected/sources/${index}`;
    if (isRecord(secret)) referToSecret(source, secret["name"], `${at}/secret`, usedKeys(secret));
    if (isRecord(configMap))
      referToConfigMap(source, configMap["name"], `${at}/configMap`, usedKeys(configMap));
  }
}

function describeImage(source: Source, { reference }: Fields): void {
  const used = imageUse(reference);
  if (used === undefined) return;
  const image = { type: "BACKED_BY", ...used.node, at: "/image/reference" } as const;
  refer(source, image, used.properties);
}

function claim(source: Source, name: unknown, at: string): void {
  refer(source, { type: "BACKED_BY", kind: "PersistentVolumeClaim", name, at });
}

/** All keys are used where none is named. */
function usedKeys({ items, optional }: Fields): ReadProperties {
  const keys = listOf(items)
    .slice(0, 100)
    .flatMap((item) => textOf(asRecord(item)["key"]) ?? []);
  return { keys, optional: trueOf(optional) };
}
