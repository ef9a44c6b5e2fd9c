import { BowlineError } from "@bowline/core";
import type { ClusterFacts } from "@bowline/manifests";

/** Reads `name=prod-eu-1,region=eu,labels.tier=gold`. Throws `InvalidArgument`. */
export function parseClusterFacts(text: string): ClusterFacts {
  const labels: Record<string, string> = {};
  let name: string | undefined;
  let region: string | undefined;
  for (const part of text.split(",").filter((each) => each !== "")) {
    const at = part.indexOf("=");
    const [key, value] = at < 0 ? ["", ""] : [part.slice(0, at), part.slice(at + 1)];
    if (key === "name") name = value;
    else if (key === "region") region = value;
    else if (key.startsWith("labels.") && key.length > "labels.".length)
      labels[key.slice("labels.".length)] = value;
    else {
      throw new BowlineError(
        "InvalidArgument",
        `«${part.slice(0, 64)}» is no fact of a cluster; they are name=…, region=… and labels.KEY=….`,
      );
    }
  }
  if (name === undefined || name === "") {
    throw new BowlineError("InvalidArgument", "--cluster-facts needs the name of a cluster: name=NAME.");
  }
  return { name, labels, ...(region === undefined ? {} : { region }) };
}
