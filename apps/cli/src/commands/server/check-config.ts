import type { CommandContext } from "../../command/command-context.ts";
import { TableWriter } from "../../output/table-writer.ts";
import { printableLine } from "../../output/terminal-text.ts";
import type { GivenFlags } from "./setting-options.ts";

/** Lists every setting that has a value; fails with all that is wrong. */
export async function checkConfig(context: CommandContext, flags: GivenFlags): Promise<void> {
  const { loadConfig } = await import("@bowline/server");
  const { origins, warnings } = loadConfig({ flags, environment: context.environment });
  for (const warning of warnings) context.terminal.error(`warning: ${printableLine(warning)}\n`);
  const rows = [...origins.values()].map(({ name, shown, otherwise = "none", source }) => [
    name,
    shown ?? `(${otherwise.replaceAll("`", "")})`,
    source,
  ]);
  const printable = rows.map((row) => row.map((cell) => printableLine(cell)));
  context.terminal.out(new TableWriter(["SETTING", "VALUE", "FROM"]).rows(printable));
}
