import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

import { BowlineError } from "@bowline/core";

/** `KUBECTL` names one program; otherwise the envtest folder is looked at before the PATH. */
export function findKubectl(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const folders = [env["KUBEBUILDER_ASSETS"] ?? "", ...(env["PATH"] ?? "").split(delimiter)];
  const candidates = folders.filter((folder) => folder !== "").map((folder) => join(folder, "kubectl"));
  const found = [env["KUBECTL"] ?? "", ...candidates].find((path) => path !== "" && isExecutable(path));
  if (found !== undefined) return found;
  throw new BowlineError(
    "MissingProgram",
    "kubectl is not installed: install Debian's package kubernetes-client, or set KUBECTL to one.",
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
