import { SimStatusError } from "../store/sim-status-error.ts";

/** How an answer is shaped: whole objects, their metadata alone, or rows for a terminal. */
export type Shape =
  | { readonly kind: "object" }
  | { readonly kind: "metadata"; readonly metaVersion: string }
  | { readonly kind: "table"; readonly metaVersion: string };

export interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const jsonTypes = new Set(["application/json", "application/*", "*/*"]);

export function parseAccept(header: string | undefined): MediaRange[] {
  return (header ?? "*/*").split(",").map((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    const pairs = parameters.map((parameter): [string, string] => {
      const [key = "", value = ""] = parameter.split("=");
      return [key, value];
    });
    return { type: type.toLowerCase(), parameters: new Map(pairs) };
  });
}

/** The first shape that the client names and the server has. */
export function negotiateShape(header: string | undefined, list: boolean): Shape {
  for (const { type, parameters } of parseAccept(header)) {
    if (!jsonTypes.has(type)) continue;
    const as = parameters.get("as");
    if (as === undefined) return { kind: "object" };
    const metaVersion = parameters.get("v") ?? "";
    if (parameters.get("g") !== "meta.k8s.io" || !["v1", "v1beta1"].includes(metaVersion)) continue;
    if (as === "Table") return { kind: "table", metaVersion };
    if (as === (list ? "PartialObjectMetadataList" : "PartialObjectMetadata"))
      return { kind: "metadata", metaVersion };
  }
  throw notAcceptable();
}

export function acceptsJson(header: string | undefined): boolean {
  return parseAccept(header).some(({ type }) => jsonTypes.has(type));
}

export function notAcceptable(): SimStatusError {
  return new SimStatusError({
    code: 406,
    reason: "NotAcceptable",
    message: "only the following media types are accepted: application/json",
  });
}
