import { Option, type Command } from "commander";

const loadSettings = () => import("@bowline/server/settings");

type Settings = Awaited<ReturnType<typeof loadSettings>>;
type NamedSetting = Settings["namedSettings"][number];

/** What was given on the command line, by flag. */
export type GivenFlags = Readonly<Record<string, string | undefined>>;

const groupTitles: Readonly<Record<string, string>> = {
  database: "Database:",
  nats: "NATS:",
  tls: "TLS:",
  encryption: "Encryption of secrets:",
  oidc: "Sign-in with OpenID Connect:",
  limits: "Limits:",
  retention: "Retention:",
  metrics: "Metrics:",
  log: "Logs:",
};

/** Reads the table of settings, which is small, and returns what adds a flag for every setting that has one. */
export async function loadSettingOptions(): Promise<(command: Command) => void> {
  const settings = await loadSettings();
  return (command) => addSettingOptions(command, settings);
}

function addSettingOptions(command: Command, { namedSettings, configFileSetting }: Settings): void {
  command.option(`${configFileSetting.flag} <FILE>`, configFileSetting.description);
  for (const named of namedSettings) {
    for (const option of optionsFor(named)) command.addOption(option);
  }
}

/** The values of the flags, also when they were written after a subcommand. */
export function givenFlags(command: Command): GivenFlags {
  const values: Record<string, unknown> = command.opts();
  return Object.fromEntries(
    command.options.flatMap((option) => {
      const value = values[option.attributeName()];
      return typeof option.long !== "string" || typeof value !== "string" ? [] : [[option.long, value]];
    }),
  );
}

function optionsFor({ name, flag, fromFile, setting }: NamedSetting): Option[] {
  const group = groupTitles[name.split(".")[0] ?? ""];
  const options: Option[] = [];
  if (flag !== undefined) {
    const option = new Option(`${flag} <${setting.type.placeholder}>`, helpOf(setting));
    if (setting.type.isList === true) option.argParser(joined);
    options.push(option);
  }
  if (fromFile !== undefined) {
    const instead = flag === undefined ? helpOf(setting) : `The same, read from a file`;
    options.push(new Option(`${fromFile.flag} <FILE>`, instead));
  }
  if (group !== undefined) for (const option of options) option.helpGroup(group);
  return options;
}

function joined(value: string, previous: string | undefined): string {
  return previous === undefined ? value : `${previous},${value}`;
}

/** The first sentence, and what happens without the flag. */
function helpOf({ description, default: value, otherwise }: NamedSetting["setting"]): string {
  const [sentence = ""] = description.split(/\.(?:\s|$)/u);
  const without = value ?? otherwise?.replaceAll("`", "");
  return `${sentence.replaceAll("`", "")}${without === undefined ? "" : ` (default: ${without})`}`;
}
