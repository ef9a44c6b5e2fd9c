import type { NodeRef } from "../model/node.ts";
import type { ReadProperties } from "./facts-writer.ts";
import { nameOf, textOf } from "../model/read-fields.ts";

/** An image as somebody refers to it. */
export interface ImageUse {
  readonly node: NodeRef;
  /** How it was referred to: whole, and its parts. */
  readonly properties: ReadProperties;
}

/**
 * The image that a reference means: by digest where one is known, from what runs (`imageId`, as kubelets report it) or
 * from the reference itself, and by the reference until then. Undefined where there is no reference.
 */
export function imageUse(reference: unknown, imageId?: unknown): ImageUse | undefined {
  const text = nameOf(reference);
  if (text === undefined) return undefined;
  const { registry, repository, tag, digest } = parseReference(text);
  const whole = `${registry}/${repository}${tag === undefined ? "" : `:${tag}`}${digest === undefined ? "" : `@${digest}`}`;
  const id = digestIn(nameOf(imageId) ?? "") ?? digest;
  return {
    node: { kind: "ContainerImage", namespace: "", name: id ?? `ref:${whole}` },
    properties: { reference: textOf(whole), registry, repository: textOf(repository), tag },
  };
}

interface ImageReference {
  readonly registry: string;
  readonly repository: string;
  /** Undefined where a digest goes without one. */
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/** As container runtimes complete it: `nginx` is `docker.io/library/nginx:latest`. */
function parseReference(reference: string): ImageReference {
  const at = reference.indexOf("@");
  const named = at < 0 ? reference : reference.slice(0, at);
  const digest = at < 0 ? undefined : digestIn(reference.slice(at + 1));
  const colon = named.lastIndexOf(":");
  const isTagged = colon > named.lastIndexOf("/");
  const tag = isTagged ? named.slice(colon + 1) : undefined;
  return {
    ...splitRegistry(isTagged ? named.slice(0, colon) : named),
    tag: tag ?? (digest === undefined ? "latest" : undefined),
    digest,
  };
}

function splitRegistry(path: string): { readonly registry: string; readonly repository: string } {
  const slash = path.indexOf("/");
  const first = slash < 0 ? "" : path.slice(0, slash);
  const isHost = /[.:\p{Lu}]/u.test(first) || first === "localhost";
  const registry = isHost && first !== "index.docker.io" ? first : "docker.io";
  const repository = isHost ? path.slice(slash + 1) : path;
  const isOfficial = registry === "docker.io" && !repository.includes("/");
  return { registry, repository: isOfficial ? `library/${repository}` : repository };
}

/** Of `docker-pullable://web@sha256:…`, `docker.io/web@sha256:…` and `sha256:…`; some runtimes tell the bare number. */
function digestIn(id: string): string | undefined {
  const [found] = /(?<![\w+.-])[a-z0-9]+:[0-9a-f]{32,128}$/u.exec(id) ?? [];
  return found ?? (/^[0-9a-f]{64}$/u.test(id) ? `sha256:${id}` : undefined);
}
