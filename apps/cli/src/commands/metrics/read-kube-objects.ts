import { BowlineError, isRecord } from "@bowline/core";
import type { KubeObject } from "@bowline/monitoring";
import { keepYoungGenerationSmall } from "@bowline/program";

import type { CommandContext } from "../../command/command-context.ts";
import {
  invalidAt,
  parseDocuments,
  parseJsonObjects,
  type ParsedObject,
} from "../../manifests/parse-documents.ts";
import { readSources, type ManifestSource } from "../../manifests/read-sources.ts";

/** More than any cluster has that one collector could bear. */
const maxObjects = 200_000;

/** The objects of Kubernetes in files, folders and standard input, whatever their kinds. */
export async function readKubeObjects(
  { signal, terminal }: Pick<CommandContext, "signal" | "terminal">,
  paths: readonly string[],
  { recursive }: { readonly recursive: boolean },
): Promise<KubeObject[]> {
  // Nearly everything that reading and rendering make is garbage at once, and should not pile up.
  keepYoungGenerationSmall();
  const sources = await readSources(paths, { recursive, readStdin: terminal.readStdin, signal });
  const objects = sources.flatMap((source) => {
    signal.throwIfAborted();
    return parseJson(source) ?? parseDocuments(source).filter(isForCluster).map(kubeObject).toArray();
  });
  if (objects.length > maxObjects) {
    throw new BowlineError("InvalidArgument", `There are more than ${maxObjects} objects; give fewer files.`);
  }
  return objects;
}

/** An object with a problem is read again by the reader of YAML, which can say where it is. */
function parseJson(source: ManifestSource): KubeObject[] | undefined {
  try {
    return parseJsonObjects(source)?.map(kubeObject);
  } catch {
    return undefined;
  }
}

/** Folders of manifests often have a file that tells kustomize what to do with them, and has no name. */
function isForCluster({ body }: ParsedObject): boolean {
  const version = isRecord(body) ? body["apiVersion"] : undefined;
  return typeof version !== "string" || !version.startsWith("kustomize.config.k8s.io/");
}

/** Checks what names an object. What is wrong with the rest, the renderer says of the one object that has it. */
function kubeObject({ body, origin, lineOf }: ParsedObject): KubeObject {
  const refuse = (field: string, message: string): BowlineError =>
    invalidAt(origin, lineOf(field), `${field} ${message}`.trim());
  if (!isRecord(body)) throw refuse("", "there is no object here, with a kind and metadata");
  const text = (holder: Readonly<Record<string, unknown>>, path: string): string | undefined => {
    const value = holder[path.slice(path.lastIndexOf(".") + 1)] ?? undefined;
    if (value === undefined || typeof value === "string") return value;
    throw refuse(path, "must be a string; put it in quotes");
  };
  const [kind, apiVersion] = [text(body, "kind"), text(body, "apiVersion")];
  const metadata = isRecord(body["metadata"]) ? body["metadata"] : {};
  const [name, namespace] = [text(metadata, "metadata.name"), text(metadata, "metadata.namespace")];
  if (kind === undefined) throw refuse("kind", "is missing");
  if (name === undefined) throw refuse("metadata.name", "is missing");
  const labels = isRecord(metadata["labels"]) ? metadata["labels"] : {};
  const badLabel = Object.keys(labels).find((key) => typeof labels[key] !== "string");
  if (badLabel !== undefined)
    throw refuse("metadata.labels", `must have strings only; put that of ${badLabel} in quotes`);
  return {
    ...body,
    kind,
    ...(apiVersion === undefined ? {} : { apiVersion }),
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)])),
    },
  };
}
