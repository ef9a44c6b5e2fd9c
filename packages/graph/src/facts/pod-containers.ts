import { asRecord, isRecord } from "@bowline/core";

import { containerRef } from "../model/node.ts";
import type { EdgeEnd } from "../model/object-facts.ts";
import { self, type FactsWriter, type ReadProperties } from "./facts-writer.ts";
import { imageUse } from "./image.ts";
import type { PodSource } from "./pod-volumes.ts";
import {
  booleanOf,
  listOf,
  nameOf,
  numberOf,
  scalarText,
  textOf,
  trueOf,
  type FactFields,
} from "../model/read-fields.ts";
import { refer, referToConfigMap, referToSecret, type Source } from "./source.ts";

type Fields = Readonly<Record<string, unknown>>;

const keyRef = { name: true, key: true, optional: true } as const;
const envRef = { name: true, optional: true } as const;

/** Neither values of variables, nor commands, nor arguments: people write passwords there. */
export const containerFields: FactFields = {
  name: true,
  image: true,
  restartPolicy: true,
  env: { name: true, valueFrom: { secretKeyRef: keyRef, configMapKeyRef: keyRef } },
  envFrom: { prefix: true, secretRef: envRef, configMapRef: envRef },
  volumeMounts: { name: true, mountPath: true, subPath: true, readOnly: true, mountPropagation: true },
  volumeDevices: { name: true, devicePath: true },
  ports: { name: true, containerPort: true, hostPort: true, protocol: true },
  securityContext: {
    privileged: true,
    runAsUser: true,
    runAsNonRoot: true,
    allowPrivilegeEscalation: true,
    readOnlyRootFilesystem: true,
    capabilities: { add: true },
  },
};

/** The lists that a pod has of containers, and where their status is. */
export const containerLists = [
  { list: "initContainers", statuses: "initContainerStatuses" },
  { list: "containers", statuses: "containerStatuses" },
  { list: "ephemeralContainers", statuses: "ephemeralContainerStatuses" },
] as const;

/** What containers of one list mount, run and read. */
export class PodContainers {
  readonly #pod: PodSource;
  readonly #volumes: ReadonlyMap<string, EdgeEnd>;

  constructor(pod: PodSource, volumes: ReadonlyMap<string, EdgeEnd>) {
    this.#pod = pod;
    this.#volumes = volumes;
  }

  /** `statuses` tell which images run. */
  describe(list: string, containers: unknown, statuses: unknown): void {
    const imageIds = imageIdsOf(statuses);
    for (const [index, value] of listOf(containers).entries()) {
      const container = asRecord(value);
      const name = nameOf(container["name"]) ?? "";
      const { writer, isPod } = this.#pod;
      const at = `${this.#pod.at}/${list}/${index}`;
      const from = isPod ? containerNode(writer, { list, name, at }, container) : self;
      const source = { writer, from, at, said: from === self ? { container: name } : undefined };
      const image = imageUse(container["image"], imageIds.get(name));
      if (image !== undefined)
        refer(source, { type: "RUNS_IMAGE", ...image.node, at: "/image" }, image.properties);
      describeEnv(source, container);
      if (isPod) this.#describeMounts(source, container);
    }
  }

  #describeMounts({ writer, from, at }: Source, container: Fields): void {
    for (const [index, item] of listOf(container["volumeMounts"]).entries()) {
      const mount = asRecord(item);
      const volume = this.#volumes.get(nameOf(mount["name"]) ?? "");
      if (volume === undefined) continue;
      writer.edge("USES_VOLUME", [from, volume], `${at}/volumeMounts/${index}`, {
        mountPath: textOf(mount["mountPath"]),
        subPath: textOf(mount["subPath"]),
        readOnly: trueOf(mount["readOnly"]),
        mountPropagation: textOf(mount["mountPropagation"]),
      });
    }
    for (const [index, item] of listOf(container["volumeDevices"]).entries()) {
      const device = asRecord(item);
      const volume = this.#volumes.get(nameOf(device["name"]) ?? "");
      if (volume === undefined) continue;
      const devicePath = textOf(device["devicePath"]);
      writer.edge("USES_VOLUME", [from, volume], `${at}/volumeDevices/${index}`, { devicePath });
    }
  }
}

function imageIdsOf(statuses: unknown): ReadonlyMap<string, unknown> {
  const ids = new Map<string, unknown>();
  for (const item of listOf(statuses)) {
    const { name, imageID } = asRecord(item);
    if (typeof name === "string") ids.set(name, imageID);
  }
  return ids;
}

interface ContainerPlace {
  readonly list: string;
  readonly name: string;
  readonly at: string;
}

function containerNode(writer: FactsWriter, { list, name, at }: ContainerPlace, container: Fields): EdgeEnd {
  const { node } = writer;
  if (name === "") return self;
  const ref = containerRef(node.namespace, node.name, list, name);
  const part = writer.part(ref, containerProperties(writer, container));
  if (part !== self) writer.edge("HAS_CONTAINER", [self, part], at);
  return part;
}

function containerProperties(writer: FactsWriter, container: Fields): ReadProperties {
  const security = asRecord(container["securityContext"]);
  const ports = listOf(container["ports"]).map(asRecord);
  return {
    // An init container that goes on beside the others.
    restartPolicy: textOf(container["restartPolicy"]),
    ports: writer.texts(
      ports.flatMap((port) => portText(port, port["containerPort"]) ?? []),
      "ports",
    ),
    hostPorts: writer.texts(
      ports.flatMap((port) => portText(port, port["hostPort"]) ?? []),
      "hostPorts",
    ),
    env: writer.texts(ownVariables(container), "env"),
    privileged: trueOf(security["privileged"]),
    runAsUser: numberOf(security["runAsUser"]),
    runAsNonRoot: booleanOf(security["runAsNonRoot"]),
    allowPrivilegeEscalation: booleanOf(security["allowPrivilegeEscalation"]),
    readOnlyRootFilesystem: trueOf(security["readOnlyRootFilesystem"]),
    addedCapabilities: writer.texts(asRecord(security["capabilities"])["add"], "addedCapabilities"),
  };
}

/** `8080/TCP`; nothing for a port that is none. */
function portText({ protocol }: Fields, port: unknown): string | undefined {
  const number = scalarText(port);
  return number === undefined || number === "0" ? undefined : `${number}/${textOf(protocol) ?? "TCP"}`;
}

/** Names of variables that the pod itself sets. Those that come from elsewhere are on the edges to there. */
function ownVariables(container: Fields): readonly unknown[] {
  return listOf(container["env"]).flatMap((item) => {
    const { name, valueFrom } = asRecord(item);
    const { secretKeyRef, configMapKeyRef } = asRecord(valueFrom);
    return isRecord(secretKeyRef) || isRecord(configMapKeyRef) ? [] : [name];
  });
}

function describeEnv(source: Source, container: Fields): void {
  for (const [index, item] of listOf(container["env"]).entries()) {
    const { name, valueFrom } = asRecord(item);
    const { secretKeyRef, configMapKeyRef } = asRecord(valueFrom);
    const at = `/env/${index}/valueFrom`;
    if (isRecord(secretKeyRef))
      referToSecret(source, secretKeyRef["name"], `${at}/secretKeyRef`, keyProperties(name, secretKeyRef));
    if (isRecord(configMapKeyRef)) {
      const properties = keyProperties(name, configMapKeyRef);
      referToConfigMap(source, configMapKeyRef["name"], `${at}/configMapKeyRef`, properties);
    }
  }
  for (const [index, item] of listOf(container["envFrom"]).entries()) {
    const { prefix, secretRef, configMapRef } = asRecord(item);
    const at = `/envFrom/${index}`;
    const properties = (reference: Fields): ReadProperties => ({
      prefix: textOf(prefix),
      optional: trueOf(reference["optional"]),
    });
    if (isRecord(secretRef))
      referToSecret(source, secretRef["name"], `${at}/secretRef`, properties(secretRef));
    if (isRecord(configMapRef))
      referToConfigMap(source, configMapRef["name"], `${at}/configMapRef`, properties(configMapRef));
  }
}

function keyProperties(name: unknown, { key, optional }: Fields): ReadProperties {
  return { env: textOf(name), key: textOf(key), optional: trueOf(optional) };
}
