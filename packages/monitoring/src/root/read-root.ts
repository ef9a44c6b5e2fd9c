import { BowlineError } from "@bowline/core";

import type { Field } from "../field/field.ts";
import { Report } from "../field/report.ts";
import { defaultCollectorVersion, parseCollectorVersion } from "../model/collector-version.ts";
import { refOf, type KubeObject } from "../model/kube-object.ts";
import { isOfKnownGroup } from "../model/known-group.ts";
import { ReferenceBook } from "../reference/reference-book.ts";
import type { RenderOptions } from "../render-options.ts";
import { Scope } from "../scrape/scope.ts";
import type { Settings } from "../scrape/settings.ts";
import type { Mode } from "./global-config.ts";
import { readSettings } from "./read-settings.ts";

export interface Root {
  readonly spec: Field;
  readonly scope: Scope;
  readonly settings: Settings;
  readonly mode: Mode;
  readonly book: ReferenceBook;
}

/** The kinds that can be the root, and the collector they stand for. */
const rootModes: Readonly<Record<string, Mode>> = {
  Prometheus: "server",
  PrometheusAgent: "agent",
  MetricsAgent: "agent",
};

export function isRoot(object: KubeObject): boolean {
  return Object.hasOwn(rootModes, object.kind) && isOfKnownGroup(object);
}

export function readRoot(object: KubeObject, options: RenderOptions): Root {
  const mode = isRoot(object) ? rootModes[object.kind] : undefined;
  if (mode === undefined) {
    throw new BowlineError(
      "InvalidArgument",
      `A ${object.kind} cannot be the root of a configuration; give one of ${Object.keys(rootModes).join(", ")}.`,
    );
  }
  const book = new ReferenceBook(options.resolve, options.isForbidden);
  const given = Object(object.spec).version;
  const version =
    options.version ?? (typeof given === "string" && given !== "" ? given : defaultCollectorVersion);
  const scope = new Scope(refOf(object), new Report(), {
    version: parseCollectorVersion(version),
    book,
    checks: options.checks ?? "full",
    certsDirectory: options.certsDirectory ?? "/etc/prometheus/certs",
  });
  const spec = scope.field(object.spec, "spec");
  return { spec, scope, settings: readSettings(spec, scope, options), mode: options.mode ?? mode, book };
}
