import { hasCode } from "@bowline/core";
import {
  resources,
  type KubeClient,
  type KubeObject,
  type ObjectMeta,
  type ResourceRef,
} from "@bowline/kube";

import { uniqueName } from "./sandbox.ts";
import { untilIs } from "./until.ts";

/** A kind of custom resource that one test alone knows: its group is new. */
export interface WidgetKind {
  readonly group: string;
  readonly ref: ResourceRef;
  /** The name of its definition. */
  readonly crdName: string;
}

export interface Widget extends KubeObject {
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

export interface CustomResourceDefinition extends KubeObject {
  spec: { group: string; versions: Record<string, unknown>[]; [field: string]: unknown };
  status?: { conditions?: { type: string; status: string; reason?: string }[]; [field: string]: unknown };
}

const integer = { type: "integer" } as const;
const text = { type: "string" } as const;

/** Covers what a schema can say: limits, an enumeration, a pattern, defaults, a list with keys, a free-form corner. */
const widgetSchema = {
  type: "object",
  description: "Widget is a thing that this contract makes.",
  required: ["spec"],
  properties: {
    spec: {
      type: "object",
      description: "What the widget should be.",
      required: ["size"],
      properties: {
        size: { ...integer, minimum: 1, maximum: 10, description: "How large the widget is." },
        color: { ...text, enum: ["red", "green"], default: "red" },
        code: { ...text, pattern: "^[a-z]+$", maxLength: 5 },
        replicas: { ...integer, default: 1 },
        tags: { type: "array", items: text, maxItems: 3 },
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: {
            type: "object",
            required: ["name"],
            properties: { name: text, port: integer, protocol: { ...text, default: "TCP" } },
          },
        },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
    status: {
      type: "object",
      properties: {
        replicas: integer,
        phase: text,
        conditions: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["type"],
          items: {
            type: "object",
            required: ["type", "status"],
            properties: { type: text, status: text, reason: text },
          },
        },
      },
    },
  },
} as const;

export const widgetVersion = {
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: widgetSchema },
  subresources: {
    status: {},
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  },
  additionalPrinterColumns: [
    { name: "Size", type: "integer", jsonPath: ".spec.size", description: "How large" },
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Color", type: "string", jsonPath: ".spec.color", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
} as const;

export function widgetDefinition(group: string, versions: object[] = [widgetVersion]): KubeObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: {
        plural: "widgets",
        singular: "widget",
        kind: "Widget",
        shortNames: ["wd"],
        categories: ["contract"],
      },
      versions,
    },
  };
}

/** Creates the definition and waits until the server serves it. */
export async function installWidgets(client: KubeClient, versions?: object[]): Promise<WidgetKind> {
  const group = `${uniqueName("contract")}.example.com`;
  const definition = widgetDefinition(group, versions);
  const crdName = `widgets.${group}`;
  await client.create(resources.customResourceDefinitions, definition);
  const awaited = { client, resource: resources.customResourceDefinitions, name: crdName };
  await untilIs<CustomResourceDefinition>(awaited, isEstablished);
  const kind = {
    group,
    crdName,
    ref: { group, version: "v1", plural: "widgets", kind: "Widget", namespaced: true },
  };
  await isServed(client, kind.ref);
  return kind;
}

export function widget(
  { group }: WidgetKind,
  metadata: ObjectMeta,
  spec: Record<string, unknown> = {},
): Widget {
  return { apiVersion: `${group}/v1`, kind: "Widget", metadata, spec: { size: 1, ...spec } };
}

export function isEstablished(definition: CustomResourceDefinition): boolean {
  const conditions = definition.status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === "Established" && status === "True");
}

/** Real servers say "Established" a moment before the handlers and discovery know of it; the only sign is an answer. */
async function isServed(client: KubeClient, ref: ResourceRef): Promise<void> {
  const path = `/apis/${ref.group}/${ref.version}`;
  for (;;) {
    try {
      await client.requestJson({ method: "GET", path });
      await client.list(ref);
      return;
    } catch (error) {
      if (!hasCode(error, "NotFound")) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
