import type { Client } from "@bowline/client";
import type { Command, Option } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import type { Suggestion } from "./complete.ts";

interface ArgumentQuestion {
  /** `bowline context use` */
  readonly path: string;
  readonly command: Command;
  readonly operands: readonly string[];
  readonly current: string;
}

type ArgumentSource = (question: ArgumentQuestion, context: CommandContext) => Promise<readonly Suggestion[]>;

/** A kind, then names of objects of that kind; or both at once with a slash. */
const resources: ArgumentSource = async ({ operands, current }, context) => {
  const [kind, name] = current.split("/", 2);
  if (kind !== undefined && name !== undefined) {
    const names = await objectNames(kind, context);
    return names.map(({ value }) => ({ value: `${kind}/${value}` }));
  }
  const [first] = operands;
  if (first === undefined) return kindNames();
  return first.includes("/") ? [] : objectNames(first, context);
};

const contexts: ArgumentSource = async ({ operands }, context) =>
  operands.length === 0 ? contextNames(context) : [];

const tokens: ArgumentSource = (_question, context) => objectNames("tokens", context);

const clusters: ArgumentSource = (_question, context) => objectNames("clusters", context);

const oneCluster: ArgumentSource = async (question, context) =>
  question.operands.length === 0 ? clusters(question, context) : [];

/** The name of an instance, alone or behind `wi/`. */
const oneInstance: ArgumentSource = async ({ operands, current }, context) => {
  if (operands.length > 0) return [];
  const [prefix = ""] = /^[^/]*\//u.exec(current) ?? [];
  const names = await objectNames("workloadinstances", context);
  return names.map(({ value }) => ({ value: `${prefix}${value}` }));
};

/** A kind of nodes, then a namespace, then names, all with slashes between them. */
const node: ArgumentSource = async ({ current }, context) => {
  const [typed = "", ...parts] = current.split("/");
  if (parts.length === 0) return nodeKindNames("/");
  const { requireNodeKind } = await import("../graph/node-kinds.ts");
  const { kind, isNamespaced } = requireNodeKind(typed);
  const [first = ""] = parts;
  if (isNamespaced !== false && parts.length === 1) {
    const namespaces = await foundNodes(first, "Namespace", context);
    return namespaces.map(({ name }) => ({ value: `${typed}/${name}/` }));
  }
  const found = await foundNodes(parts.slice(isNamespaced === false ? 0 : 1).join("/"), kind, context);
  return found.map(({ namespace, name }) => ({
    value: namespace === "" ? `${typed}/${name}` : `${typed}/${namespace}/${name}`,
  }));
};

const firstNode: ArgumentSource = async (question, context) =>
  question.operands.length === 0 ? node(question, context) : [];

/** What RBAC calls the things that people do. */
const verbs = "get list watch create update patch delete deletecollection bind escalate impersonate".split(
  " ",
);

const sources: Readonly<Record<string, ArgumentSource>> = {
  "bowline get": resources,
  "bowline describe": resources,
  "bowline edit": resources,
  "bowline label": resources,
  "bowline annotate": resources,
  "bowline delete": resources,
  "bowline wait": resources,
  "bowline events": resources,
  "bowline render": async ({ operands }) => (operands.length === 0 ? [{ value: ":files" }] : []),
  "bowline init": async ({ operands }) => (operands.length === 0 ? [{ value: ":files" }] : []),
  "bowline deploy": async ({ operands }) => (operands.length === 0 ? [{ value: ":files" }] : []),
  "bowline diff": async (question, context) => {
    if (question.operands.length > 0) return [];
    return question.current.startsWith("wi") ? oneInstance(question, context) : [{ value: ":files" }];
  },
  "bowline approve": oneInstance,
  "bowline expose": oneInstance,
  "bowline pause": oneInstance,
  "bowline resume": oneInstance,
  "bowline rollback": oneInstance,
  "bowline logs": oneInstance,
  "bowline history": async (question, context) =>
    question.operands.length === 0 ? resources(question, context) : [],
  "bowline tree": oneInstance,
  "bowline exec": oneInstance,
  "bowline explain": async ({ current }) => (current.includes(".") ? fieldPaths(current) : kindNames()),
  "bowline logout": contexts,
  "bowline context use": contexts,
  "bowline context show": contexts,
  "bowline context delete": contexts,
  "bowline context rename": contexts,
  "bowline cluster describe": clusters,
  "bowline cluster rotate": oneCluster,
  "bowline cluster revoke": clusters,
  "bowline cluster remove": clusters,
  "bowline graph uses": firstNode,
  "bowline graph around": firstNode,
  "bowline graph blast-radius": firstNode,
  "bowline graph path": async (question, context) =>
    question.operands.length < 2 ? node(question, context) : [],
  "bowline graph who-can": async ({ operands }) => {
    if (operands.length === 0) return verbs.map((value) => ({ value }));
    return operands.length === 1 ? nodeKindNames("") : [];
  },
  "bowline graph what-can": async (question, context) => {
    if (question.operands.length > 0) return [];
    const found = question.current.includes("/") ? await node(question, context) : [];
    return [...found, ...["user:", "group:", "sa/"].map((value) => ({ value }))];
  },
  "bowline provider test": async ({ operands }) => (operands.length === 0 ? [{ value: ":files" }] : []),
  "bowline kubeconfig": clusters,
  "bowline kubectl": oneCluster,
  "bowline token revoke": tokens,
  "bowline token delete": tokens,
};

/** Values that an argument of a command may have. */
export async function suggestArguments(
  question: ArgumentQuestion,
  context: CommandContext,
): Promise<readonly Suggestion[]> {
  const { path, command, operands } = question;
  if (path === "bowline help") return suggestCommands(command, operands);
  const source = sources[path];
  if (source !== undefined) return source(question, context);
  const choices = command.registeredArguments[operands.length]?.argChoices ?? [];
  return choices.map((value) => ({ value }));
}

function suggestCommands({ parent }: Command, operands: readonly string[]): Suggestion[] {
  if (operands.length > 0) return [];
  return (parent?.commands ?? [])
    .filter((command) => !command.name().startsWith("__"))
    .map((command) => ({ value: command.name(), description: command.summary() }));
}

/** Values that an option may have. */
export async function suggestOptionValues(
  option: Option,
  context: CommandContext,
): Promise<readonly Suggestion[]> {
  if (option.argChoices !== undefined) return option.argChoices.map((value) => ({ value }));
  if (option.long === "--context") return contextNames(context);
  if (option.flags.includes("<NODE-KIND>")) return nodeKindNames("");
  if (option.long === "--kind") return kindNames();
  if (option.flags.includes("<USER>")) return objectNames("users", context);
  if (option.long === "--cluster" || option.long === "--management-cluster") {
    return objectNames("clusters", context);
  }
  if (option.long === "--credential") return objectNames("credentials", context);
  if (option.long === "--template") return objectNames("workloaddefinitions", context);
  return /<[^>]*(?:FILE|FOLDER|PATH|DIR)[^>]*>/.test(option.flags) ? [{ value: ":files" }] : [];
}

/** A person has pressed Tab and waits: what the server does not say by then is not said. */
const askLimitMs = 2000;
const mostNames = 500;

async function contextNames({ environment }: CommandContext): Promise<readonly Suggestion[]> {
  const { readConfig } = await import("../../connection/config-file.ts");
  const config = await readConfig(environment);
  return config.contexts().map(({ name, server }) => ({ value: name, description: server }));
}

async function kindNames(): Promise<readonly Suggestion[]> {
  const { kinds } = await import("@bowline/api");
  return kinds.map(({ plural, description }) => ({ value: plural, description }));
}

/** The kinds of nodes, with what stands behind them. */
async function nodeKindNames(behind: string): Promise<readonly Suggestion[]> {
  const { nodeKinds } = await import("../graph/node-kinds.ts");
  return nodeKinds.map(({ kind, names }) => ({ value: `${names[0]}${behind}`, description: kind }));
}

/** The fields below the last dot of `cluster.spec.re`, each with the whole path. */
async function fieldPaths(typed: string): Promise<readonly Suggestion[]> {
  const { fieldsOf, findKind } = await import("@bowline/api");
  const [kindName = "", ...steps] = typed.split(".");
  const kind = findKind(kindName);
  if (kind === undefined) return [];
  const start = steps
    .slice(0, -1)
    .map((step) => `${step}.`)
    .join("");
  return fieldsOf(kind.schemas.stored).flatMap(({ path, description }) => {
    const plain = path.replaceAll("[]", "");
    const isBelow = plain.startsWith(start) && !plain.slice(start.length).includes(".");
    return isBelow ? [{ value: `${kindName}.${plain}`, description }] : [];
  });
}

/** The names of the objects of a kind; none when the kind, the server or the answer is not there. */
async function objectNames(kindName: string, context: CommandContext): Promise<readonly Suggestion[]> {
  const { findKind } = await import("@bowline/api");
  const kind = findKind(kindName);
  if (kind === undefined) return [];
  const { items } = await askServer(context, (client) => client.list(kind, { limit: mostNames }));
  return items.map(({ metadata }) => ({ value: metadata.name }));
}

/** Nodes of a kind whose names begin so; nothing is searched for before something is typed. */
async function foundNodes(
  text: string,
  kind: string,
  context: CommandContext,
): Promise<readonly { readonly namespace: string; readonly name: string }[]> {
  if (text === "") return [];
  const query = { text, kind, limit: mostNames };
  const { data } = await askServer(context, (client) => client.askGraph("search", query));
  return data.hits.flatMap(({ node: found }) => ("withheld" in found ? [] : [found]));
}

async function askServer<T>(context: CommandContext, ask: (client: Client) => Promise<T>): Promise<T> {
  const { connectToServer } = await import("../../connection/connect-to-server.ts");
  const limits = { requestTimeoutMs: askLimitMs, connectTimeoutMs: askLimitMs, maxAttempts: 1 };
  const client = await connectToServer(context, limits);
  try {
    return await ask(client);
  } finally {
    await client.close();
  }
}
