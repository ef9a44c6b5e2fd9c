export type PathPart = string | number;

const plainKey = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const longestKeyShown = 64;

/** `spec.clusters[0]`, `metadata.labels["app.kubernetes.io/name"]`. Keys come from clients, so they are cut. */
export function formatPath(parts: readonly PathPart[]): string {
  let text = "";
  for (const part of parts) {
    if (typeof part === "number") text += `[${part}]`;
    else if (plainKey.test(part) && part.length <= longestKeyShown) text += text === "" ? part : `.${part}`;
    else text += `[${JSON.stringify(shortened(part))}]`;
  }
  return text;
}

function shortened(key: string): string {
  return key.length <= longestKeyShown ? key : `${key.slice(0, longestKeyShown - 1)}…`;
}
