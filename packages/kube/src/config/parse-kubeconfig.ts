import { parseDocument } from "yaml";
import { BowlineError } from "@bowline/core";
import { ConfigNode } from "./config-node.ts";

/** A kubeconfig file whose entries are found by name; what is inside an entry is looked at only when it is chosen. */
export interface Kubeconfig {
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, ConfigNode>;
  readonly contexts: ReadonlyMap<string, ConfigNode>;
  readonly users: ReadonlyMap<string, ConfigNode>;
}

/** Far beyond any real file; what it keeps out is a file made to hang the parser. */
const maxLength = 4 * 1024 * 1024;

/** Anchors are legal, and a few nested ones can be made to expand to gigabytes. */
const maxAliasCount = 100;

export function parseKubeconfig(text: string, file: string): Kubeconfig {
  const root = new ConfigNode(parseYaml(text, file), file);
  return {
    currentContext: root.field("current-context").optionalText(),
    clusters: named(root.field("clusters"), "cluster"),
    contexts: named(root.field("contexts"), "context"),
    users: named(root.field("users"), "user"),
  };
}

/** As kubectl merges the files of `KUBECONFIG`: whoever comes first with a name, or with a current context, wins. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const firstOfEach = (maps: readonly ReadonlyMap<string, ConfigNode>[]): ReadonlyMap<string, ConfigNode> =>
    new Map(maps.toReversed().flatMap((map) => [...map]));
  return {
    currentContext: configs.find((config) => config.currentContext !== undefined)?.currentContext,
    clusters: firstOfEach(configs.map((config) => config.clusters)),
    contexts: firstOfEach(configs.map((config) => config.contexts)),
    users: firstOfEach(configs.map((config) => config.users)),
  };
}

function parseYaml(text: string, file: string): unknown {
  const document = new ConfigNode(undefined, file);
  if (text.length > maxLength) throw document.error(`is longer than ${maxLength} characters`);
  try {
    const parsed = parseDocument(text, { prettyErrors: true, logLevel: "silent" });
    const [problem] = parsed.errors;
    if (problem !== undefined) {
      const line = problem.linePos?.[0].line;
      throw document.error(
        `is not valid YAML${line === undefined ? "" : ` (line ${line}: ${problem.code})`}`,
      );
    }
    return parsed.toJS({ maxAliasCount });
  } catch (error) {
    if (error instanceof BowlineError) throw error;
    // Too many aliases, or nesting deeper than the stack.
    throw document.error("is not YAML that can be expanded", error);
  }
}

function named(list: ConfigNode, member: string): ReadonlyMap<string, ConfigNode> {
  const entries = new Map<string, ConfigNode>();
  for (const item of list.items()) {
    const name = item.field("name").text();
    if (entries.has(name)) throw item.error(`has the name "${name}", which another entry has too`);
    const { raw } = item.field(member);
    entries.set(name, new ConfigNode(raw, list.file, `${list.path}[name=${name}].${member}`));
  }
  return entries;
}
