import { Help, type HelpConfiguration } from "commander";

const plain = new Help();

/** How help looks, for every command alike. */
export const helpLayout: HelpConfiguration = {
  showGlobalOptions: true,
  // Everybody knows that a flag is off until it is given.
  optionDescription: (option) => plain.optionDescription(option).replace(/ ?\(default: false\)$/, ""),
  subcommandTerm: (command) => [command.name(), ...command.aliases()].join(", "),
  styleTitle: (title) => title.replace("Global Options:", "Global flags:").replace("Options:", "Flags:"),
  styleUsage: usageLine,
};

/** In the words of the commands that write their own usage line. */
export function usageLine(usage: string): string {
  return usage.replaceAll("[options]", "[FLAGS]").replaceAll("[command]", "COMMAND");
}
