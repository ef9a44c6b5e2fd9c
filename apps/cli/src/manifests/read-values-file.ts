import { BowlineError, isRecord } from "@bowline/core";

import type { CommandContext } from "../command/command-context.ts";
import { printableLine } from "../output/terminal-text.ts";
import { readSources } from "./read-sources.ts";

/** Values of a chart, in a file of YAML or JSON; `-` is standard input. An empty file has none. */
export async function readValuesFile(
  { terminal, signal }: CommandContext,
  path: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { describeProblem, parseYaml } = await import("@bowline/manifests");
  const [source] = await readSources([path], { readStdin: terminal.readStdin, signal });
  const { documents, problems } = parseYaml(source?.text ?? "");
  const [problem] = problems;
  const name = source?.source ?? printableLine(path);
  if (problem !== undefined) throw new BowlineError("Invalid", `${name}: ${describeProblem(problem)}.`);
  const [values = {}, ...others] = documents;
  if (others.length > 0) throw new BowlineError("Invalid", `${name}: values are one document, not several.`);
  if (values === null) return {};
  if (isRecord(values)) return values;
  throw new BowlineError("Invalid", `${name}: values are a map, with a name before each of them.`);
}
