import { asRecord } from "@bowline/core";

import { nodeKind } from "../model/node.ts";
import type { ObjectFacts } from "../model/object-facts.ts";
import { FactsWriter } from "./facts-writer.ts";
import { describeMetadata, metadataFields } from "./metadata.ts";
import { isKeyPart, nameOf, type FactFields } from "../model/read-fields.ts";

/** What the objects of a kind say, and what has to be read of them for it. */
export interface KindFacts {
  /** The API group; empty for the core group. */
  readonly group: string;
  readonly kind: string;
  /** Undefined for custom resources, where discovery knows. */
  readonly namespaced: boolean | undefined;
  /** Nothing but metadata is needed, and nothing else should be asked for. */
  readonly metadataOnly: boolean;
  /** The facts of an object that was cut down to these fields are those of the whole object. */
  readonly fields: FactFields;
  /** Of anything: what is no such object says little, and never throws. */
  readonly facts: (object: unknown) => ObjectFacts;
}

interface KindDefinition {
  readonly group: string;
  readonly kind: string;
  readonly namespaced: boolean | undefined;
  /** The fields beside metadata; none for a kind of which only metadata is read. */
  readonly fields?: FactFields;
  /** What an object says beyond its labels and owners. */
  readonly describe?: (writer: FactsWriter, object: Readonly<Record<string, unknown>>) => void;
}

export function defineKind({ group, kind, namespaced, fields, describe }: KindDefinition): KindFacts {
  const nodeKindName = nodeKind(group, kind);
  return {
    group,
    kind,
    namespaced,
    metadataOnly: fields === undefined,
    fields: { metadata: metadataFields, ...fields },
    facts: (value) => {
      const object = asRecord(value);
      const metadata = asRecord(object["metadata"]);
      const { namespace } = metadata;
      const node = {
        kind: nodeKindName,
        namespace: namespaced !== false && isKeyPart(namespace) ? namespace : "",
        name: nameOf(metadata["name"]) ?? "",
      };
      const writer = new FactsWriter(node, nameOf(metadata["uid"]) ?? "");
      describeMetadata(writer, metadata);
      describe?.(writer, object);
      return writer.facts();
    },
  };
}
