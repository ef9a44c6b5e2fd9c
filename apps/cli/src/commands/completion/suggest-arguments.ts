import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import type { Suggestion } from "./complete-line.ts";
import { contextNames, fieldPaths, kindNames, objectNames } from "./suggestion-sources.ts";

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

const sources: Readonly<Record<string, ArgumentSource>> = {
  "bowline get": resources,
  "bowline describe": resources,
  "bowline edit": resources,
  "bowline label": resources,
  "bowline annotate": resources,
  "bowline delete": resources,
  "bowline wait": resources,
  "bowline events": resources,
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
  "bowline kubeconfig": clusters,
  "bowline kubectl": oneCluster,
  "bowline token revoke": tokens,
  "bowline token delete": tokens,
};

/** What an argument of a command may be. */
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
