import { dirname, resolve, sep } from "node:path";
import type { ExecApiVersion, ExecPlugin } from "./cluster-connection.ts";
import type { ConfigNode } from "./config-node.ts";

const apiVersions: readonly ExecApiVersion[] = [
  "client.authentication.k8s.io/v1",
  "client.authentication.k8s.io/v1beta1",
];
const interactiveModes = ["Never", "IfAvailable", "Always"] as const;

/** The cluster entry's extension of this name is handed to the plugin as it is. */
const extensionName = "client.authentication.k8s.io/exec";

export function execPlugin(exec: ConfigNode, cluster: ConfigNode): ExecPlugin {
  const installHint = exec.field("installHint").optionalText();
  const clusterConfig = cluster
    .field("extensions")
    .items()
    .find((extension) => extension.field("name").raw === extensionName)
    ?.field("extension").raw;
  return {
    apiVersion: oneOf(exec.field("apiVersion"), apiVersions),
    command: commandOf(exec.field("command")),
    args: exec
      .field("args")
      .items()
      .map((argument) => argument.optionalText() ?? ""),
    env: Object.fromEntries(
      exec
        .field("env")
        .items()
        .map((variable) => [variable.field("name").text(), variable.field("value").optionalText() ?? ""]),
    ),
    interactiveMode: exec.field("interactiveMode").isMissing
      ? "IfAvailable"
      : oneOf(exec.field("interactiveMode"), interactiveModes),
    provideClusterInfo: exec.field("provideClusterInfo").flag(),
    ...(clusterConfig === undefined ? {} : { clusterConfig }),
    ...(installHint === undefined ? {} : { installHint }),
  };
}

/** A bare name is looked up in the PATH; anything with a separator is a path beside the kubeconfig. */
function commandOf(node: ConfigNode): string {
  const command = node.text();
  return command.includes(sep) ? resolve(dirname(node.file), command) : command;
}

function oneOf<T extends string>(node: ConfigNode, allowed: readonly T[]): T {
  const text = node.text();
  const found = allowed.find((value) => value === text);
  if (found === undefined) throw node.error(`is "${text}" and must be one of ${allowed.join(", ")}`);
  return found;
}
