import type { Scope } from "../check/scope.ts";
import { scrapeProtocols } from "../model/collector-version.ts";
import type { ConfigMap } from "../model/config-value.ts";
import type { Field } from "../model/field.ts";
import { authorization, tlsConfig } from "./http-client.ts";
import { relabelConfigs } from "./relabeling.ts";

/** Settings that an administrator prepared for monitors to use by name, or for all that name none. */
export interface ScrapeClass {
  readonly name: string;
  readonly isDefault: boolean;
  readonly tls: ConfigMap | undefined;
  readonly authorization: ConfigMap | undefined;
  readonly relabelings: readonly ConfigMap[];
  readonly metricRelabelings: readonly ConfigMap[];
  readonly attachesNode: boolean | undefined;
  readonly fallbackProtocol: string | undefined;
  /** A problem of the class itself, which rejects the monitors that use it and nothing else. */
  readonly problem: string | undefined;
}

export function readScrapeClasses(field: Field, scope: Scope): ScrapeClass[] {
  const names = new Set<string>();
  return field.list().flatMap((item) => {
    const name = item.get("name").word();
    if (name === undefined || names.has(name)) {
      item.reject(`${item.path} has no name of its own.`, "Give each scrape class a name that no other has.");
      return [];
    }
    names.add(name);
    return [readScrapeClass(name, item, scope)];
  });
}

function readScrapeClass(name: string, item: Field, rootScope: Scope): ScrapeClass {
  const { value, problem } = rootScope.isolated(item, (field, scope) => ({
    name,
    isDefault: field.get("default").flag() ?? false,
    tls: tlsConfig(field.get("tlsConfig"), scope, { files: "allowed" }),
    authorization: authorization(field.get("authorization"), scope),
    relabelings: relabelConfigs(field.get("relabelings"), scope),
    metricRelabelings: relabelConfigs(field.get("metricRelabelings"), scope),
    attachesNode: field.get("attachMetadata").get("node").flag(),
    fallbackProtocol: field.get("fallbackScrapeProtocol").choice(scrapeProtocols),
  }));
  return { ...value, problem };
}

/** The class a monitor uses: the one it names, or the default one. */
export function classOf(spec: Field, classes: readonly ScrapeClass[]): ScrapeClass | undefined {
  const field = spec.get("scrapeClass");
  const name = field.word();
  const found = classes.find((candidate) =>
    name === undefined ? candidate.isDefault : candidate.name === name,
  );
  if (name !== undefined && found === undefined) {
    field.reject(
      `${field.path} names the scrape class «${name}», which does not exist.`,
      knownClasses(classes),
    );
  } else if (found?.problem !== undefined) {
    field.reject(
      `The scrape class «${found.name}» is not valid: ${found.problem}`,
      "Correct the scrape class, or name another one.",
    );
  }
  return found;
}

function knownClasses(classes: readonly ScrapeClass[]): string {
  if (classes.length === 0) return "Remove scrapeClass, or have an administrator define the class.";
  return `Use one of ${classes.map(({ name }) => name).join(", ")}.`;
}
