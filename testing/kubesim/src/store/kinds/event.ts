import { readNumber, readRecord, readText } from "../json-value.ts";
import { qualifiedName } from "../name-rules.ts";
import { invalidValue, required } from "../object-meta.ts";
import type { SimObject } from "../sim-api.ts";
import type { FieldProblem } from "../status-errors.ts";
import type { KindRules } from "./kind-rules.ts";

/** Events written through events.k8s.io, and those with `eventTime`, must say who reports what; older ones need not. */
export const eventRules: KindRules = {
  validate: (event, writtenAs) => [
    ...placeProblems(event),
    ...(readText(event, "eventTime") === undefined ? [] : reporterProblems(event)),
    ...(writtenAs === "events.k8s.io/v1" ? strictProblems(event) : []),
  ],
};

function placeProblems(event: SimObject): FieldProblem[] {
  if (readText(event, "involvedObject.namespace") !== undefined) return [];
  const isNew = readText(event, "eventTime") !== undefined;
  const home = isNew ? "kube-system" : "default";
  // Objects at cluster scope report into one namespace; newer clients may use the old place too.
  if (event.metadata.namespace === home || event.metadata.namespace === "default") return [];
  return [invalidValue("involvedObject.namespace", "", "does not match event.namespace")];
}

function reporterProblems(event: SimObject): FieldProblem[] {
  const reporter = readText(event, "reportingComponent");
  const needed = [
    ["reportingController", reporter],
    ["reportingInstance", readText(event, "reportingInstance")],
    ["action", readText(event, "action")],
    ["reason", readText(event, "reason")],
  ] as const;
  return [
    ...needed.filter(([, value]) => value === undefined).map(([field]) => required(field, "")),
    ...(reporter === undefined ? [] : qualifiedName(reporter)).map((why) =>
      invalidValue("reportingController", reporter, why),
    ),
  ];
}

function strictProblems(event: SimObject): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (readText(event, "eventTime") === undefined) problems.push(required("eventTime", ""));
  const type = readText(event, "type") ?? "";
  if (type !== "Normal" && type !== "Warning")
    problems.push(invalidValue("type", "", `has invalid value: ${type}`));
  const series = readRecord(event, "series");
  if (series && (readNumber(series, "count") ?? 0) < 2) {
    problems.push(invalidValue("series.count", "", "should be at least 2"));
  }
  for (const field of ["firstTimestamp", "lastTimestamp", "count"]) {
    if (event[field] !== undefined && event[field] !== null)
      problems.push(invalidValue(field, "", "needs to be unset"));
  }
  return problems;
}
