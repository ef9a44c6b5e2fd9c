import { kinds } from "@bowline/api";

import type { CommandContext } from "../../command/command-context.ts";
import { TableWriter } from "../../output/table-writer.ts";
import { toDocument } from "../../output/to-document.ts";

export interface ApiKindsOptions {
  readonly output: "table" | "json" | "yaml" | "name";
  readonly headers: boolean;
}

export async function listKinds({ terminal }: CommandContext, options: ApiKindsOptions): Promise<void> {
  const { output } = options;
  const described = kinds.map(({ kind, plural, shortNames, description }) => ({
    kind,
    plural,
    shortNames,
    description,
  }));
  if (output === "name") return terminal.out(described.map(({ plural }) => `${plural}\n`).join(""));
  if (output !== "table") return terminal.out(await toDocument(described, output));
  const table = new TableWriter(["NAME", "SHORT", "KIND", "DESCRIPTION"], { noHeaders: !options.headers });
  return terminal.out(
    table.rows(
      described.map(({ kind, plural, shortNames, description }) => [
        plural,
        shortNames.join(","),
        kind,
        description,
      ]),
    ),
  );
}
