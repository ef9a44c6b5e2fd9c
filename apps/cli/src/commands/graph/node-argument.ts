import { BowlineError } from "@bowline/core";

import { nodeKinds, requireNodeKind } from "./node-kinds.ts";

/** A node as people write it on a command line. */
export interface NodeArgument {
  /** As nodes have it. */
  readonly kind: string;
  /** Empty for what is in none. */
  readonly namespace: string;
  readonly name: string;
}

/** How these arguments are written, for usage lines. */
export const nodeUsage = "(KIND/NAMESPACE/NAME | KIND NAME -n NAMESPACE)";

/**
 * Reads `secret/shop/db`, `secret/db` and `secret db` with a namespace, `node/worker-1`, `image/nginx:1.27` and
 * `user/somebody`. Throws `InvalidArgument`.
 */
export function parseNodeArguments(args: readonly string[], namespace: string | undefined): NodeArgument {
  const [first = "", second, ...others] = args;
  if (others.length > 0 || (second !== undefined && first.includes("/"))) {
    throw new BowlineError(
      "InvalidArgument",
      "Name one thing: KIND/NAMESPACE/NAME, such as secret/shop/db, or KIND NAME -n NAMESPACE.",
    );
  }
  if (second !== undefined) return parseNode(`${first}/${second}`, namespace);
  if (!first.includes("/")) {
    requireNodeKind(first);
    throw new BowlineError("InvalidArgument", `Say which ${first}: ${first}/NAMESPACE/NAME.`);
  }
  return parseNode(first, namespace);
}

/** One node in one argument. */
export function parseNode(text: string, namespace: string | undefined): NodeArgument {
  const slash = text.indexOf("/");
  const kindText = slash < 0 ? text : text.slice(0, slash);
  const { kind, isNamespaced } = requireNodeKind(kindText);
  const rest = slash < 0 ? "" : text.slice(slash + 1);
  const node = placeOf(rest, { isNamespaced, namespace });
  if (node.name === "" || (isNamespaced === true && node.namespace === "")) {
    throw new BowlineError(
      "InvalidArgument",
      isNamespaced === true
        ? `Say in which namespace: ${kindText}/NAMESPACE/${node.name === "" ? "NAME" : node.name.slice(0, 64)}, or use -n NAMESPACE.`
        : `Say which ${kindText}: ${kindText}/NAME.`,
    );
  }
  return { kind, ...node };
}

interface Place {
  /** Undefined where nobody knows. */
  readonly isNamespaced: boolean | undefined;
  readonly namespace: string | undefined;
}

/** What is in no namespace may have slashes in its name, as images and users have. */
function placeOf(rest: string, { isNamespaced, namespace = "" }: Place) {
  if (rest.startsWith("/")) return { namespace: "", name: rest.slice(1) };
  const slash = rest.indexOf("/");
  if (isNamespaced === false) return { namespace: "", name: rest };
  if (slash < 0) return { namespace, name: rest };
  return { namespace: rest.slice(0, slash), name: rest.slice(slash + 1) };
}

/** As the server names nodes: `Secret/shop/db`, `Node//worker-1`. */
export function nodeParameter({ kind, namespace, name }: NodeArgument): string {
  return `${kind}/${namespace}/${name}`;
}

const singulars = new Map(nodeKinds.map(({ kind, names }) => [kind, names[0] ?? kind]));

/** As somebody would type it again: `secret/shop/db`, `node/worker-1`. */
export function nodeName({ kind, namespace, name }: NodeArgument): string {
  // An image whose digest nobody knows is named by its reference, which is enough to find it.
  if (kind === "ContainerImage") return `image/${name.replace(/^ref:/u, "")}`;
  const singular = singulars.get(kind) ?? kind;
  return namespace === "" ? `${singular}/${name}` : `${singular}/${namespace}/${name}`;
}
