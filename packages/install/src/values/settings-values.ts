import { object, optional, text } from "@bowline/api";
import type { NamedSetting, SettingTable } from "@bowline/program";
import { Type, type TProperties, type TSchema } from "typebox";

import { dataKey, group, objectName, type Group } from "./value-parts.ts";

/** Settings that an installation decides by other values, or that mean nothing in a pod. */
const decided: ReadonlySet<string> = new Set([
  "admin.token",
  "advertisedUrl",
  "console.listen",
  "data",
  "database.connections",
  "database.url",
  "drainDelay",
  "drainTime",
  "encryption.keysFile",
  "listen",
  "nats.caFile",
  "nats.credentialsFile",
  "nats.url",
  "replica.url",
  "role",
  "tls.certFile",
  "tls.keyFile",
  "tls.mode",
  "tls.names",
]);

/** The settings of the server that are values of an installation. */
export function settingsForValues({ named }: Pick<SettingTable, "named">): readonly NamedSetting[] {
  return named.filter(({ name }) => !decided.has(name));
}

/** The group `settings` of the values, in the groups of the table. */
export function settingsValues(table: Pick<SettingTable, "named" | "groupTitles">): Group<TProperties> {
  const groups = Map.groupBy(settingsForValues(table), ({ name }) => name.split(".")[0] ?? "");
  const fields = [...groups].map(([name, settings]) => {
    const [first] = settings;
    return [name, first?.name === name ? settingValue(first) : settingGroup(name, settings, table)] as const;
  });
  return group(
    "Any other setting of the server; docs/reference/configuration.md tells more about each. They become environment variables, so a change of them restarts the servers one by one.",
    Object.fromEntries(fields),
  );
}

function settingGroup(
  name: string,
  settings: readonly NamedSetting[],
  { groupTitles }: Pick<SettingTable, "groupTitles">,
): Group<TProperties> {
  const fields = settings.map(
    (setting) => [setting.name.slice(name.length + 1), settingValue(setting)] as const,
  );
  return group(`${groupTitles?.[name] ?? `Settings of ${name}`}.`, Object.fromEntries(fields));
}

function settingValue({ setting }: NamedSetting): TSchema {
  const { type, secret } = setting;
  const description = describe(setting);
  if (secret === "whole") {
    return optional(
      object(`${description} It is taken from a Secret.`, {
        existingSecret: text("The name of the Secret.", objectName),
        key: text("Its key.", dataKey),
      }),
    );
  }
  const { items, ...schema } = type.schema ?? { type: "string", pattern: "^[^\\r\\n]+$" };
  const ofItems = items === undefined ? {} : { items: { ...items, maxLength: 4_096 }, maxItems: 100 };
  const longest = schema.type === "string" ? { maxLength: 4_096 } : {};
  return optional(
    Type.Unsafe<unknown>({
      ...schema,
      ...ofItems,
      ...longest,
      description,
      "x-bowline-expects": type.expects,
    }),
  );
}

function describe({ description, default: preset, otherwise }: NamedSetting["setting"]): string {
  if (preset !== undefined) return `${description} By default \`${preset}\`.`;
  return otherwise === undefined ? description : `${description} By default: ${otherwise}.`;
}
