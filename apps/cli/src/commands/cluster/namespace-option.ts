import { Option } from "commander";

export function namespaceOption(): Option {
  return new Option("--namespace <NAMESPACE>", "Where in the cluster the agent runs").default(
    "bowline-system",
  );
}
