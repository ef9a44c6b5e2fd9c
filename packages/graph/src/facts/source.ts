import type { EdgeEnd, EdgeType } from "../model/object-facts.ts";
import { self, type FactsWriter, type ReadProperties } from "./facts-writer.ts";

/** Where references to others stand: a container or volume of a pod, a template, or the object itself. */
export interface Source {
  readonly writer: FactsWriter;
  readonly from: EdgeEnd;
  /** JSON pointer to it. */
  readonly at: string;
  /** What tells it apart where the object stands for it, such as which container of a template. */
  readonly said?: ReadProperties | undefined;
}

/** The object as a whole. */
export function wholeObject(writer: FactsWriter, at: string): Source {
  return { writer, from: self, at };
}

interface Reference {
  readonly type: EdgeType;
  readonly kind: string;
  /** The object's own, if not given. */
  readonly namespace?: string | undefined;
  readonly name: unknown;
  /** The rest of the pointer. */
  readonly at: string;
}

/** An edge to what a source names, whether it exists or not; nothing is named by no text. */
export function refer(source: Source, reference: Reference, properties?: ReadProperties): void {
  const { writer, from, at, said } = source;
  const { type, kind, namespace = writer.node.namespace, name } = reference;
  if (typeof name !== "string" || name === "") return;
  const more = said === undefined ? properties : { ...said, ...properties };
  writer.edge(type, [from, { kind, namespace, name }], `${at}${reference.at}`, more);
}

export function referToSecret(source: Source, name: unknown, at: string, properties?: ReadProperties): void {
  refer(source, { type: "USES_SECRET", kind: "Secret", name, at }, properties);
}

export function referToConfigMap(
  source: Source,
  name: unknown,
  at: string,
  properties?: ReadProperties,
): void {
  refer(source, { type: "USES_CONFIGMAP", kind: "ConfigMap", name, at }, properties);
}
