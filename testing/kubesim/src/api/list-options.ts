import type { GroupVersion, ResourceType } from "../store/resource-type.ts";
import type { SimObject } from "../store/sim-api.ts";
import { badRequest, invalid, type FieldProblem } from "../store/status-errors.ts";
import { parseFieldSelector } from "./field-selector.ts";
import { parseLabelSelector } from "./label-selector.ts";

export interface Selection {
  readonly empty: boolean;
  readonly matches: (object: SimObject) => boolean;
}

/** The query of a list or watch, read and checked. */
export interface ListOptions {
  readonly selection: Selection;
  readonly limit: number;
  readonly continueToken: string;
  /** As the client wrote it: empty, `0` and a number mean different things. */
  readonly resourceVersion: string;
  readonly resourceVersionMatch: "" | "Exact" | "NotOlderThan";
  readonly timeoutSeconds?: number;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents?: boolean;
}

export interface ListScope {
  readonly type: ResourceType;
  readonly place: GroupVersion;
  readonly minorVersion: number;
}

/** The first minor version that refuses `sendInitialEvents` instead of not knowing it, and the first that serves it. */
const knowsInitialEvents = 27;
const servesInitialEvents = 34;

export function parseListOptions(query: URLSearchParams, watch: boolean, scope: ListScope): ListOptions {
  const resourceVersion = query.get("resourceVersion") ?? "";
  if (resourceVersion !== "" && !/^\d+$/.test(resourceVersion)) {
    throw badRequest(
      `invalid resource version "${resourceVersion}": strconv.ParseUint: parsing "${resourceVersion}": invalid syntax`,
    );
  }
  const initial =
    scope.minorVersion >= knowsInitialEvents ? booleanOf(query, "sendInitialEvents") : undefined;
  const match = query.get("resourceVersionMatch") ?? "";
  const problems = [
    ...matchProblems(query, match, watch && initial === undefined),
    ...(initial === undefined ? [] : initialEventProblems(match, watch, scope.minorVersion)),
  ];
  if (problems.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", problems);
  const timeoutSeconds = integerOf(query, "timeoutSeconds");
  return {
    selection: parseSelection(query, scope),
    limit: integerOf(query, "limit") ?? 0,
    continueToken: query.get("continue") ?? "",
    resourceVersion,
    resourceVersionMatch: match === "Exact" || match === "NotOlderThan" ? match : "",
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    allowWatchBookmarks: booleanOf(query, "allowWatchBookmarks") === true,
    ...(initial === undefined ? {} : { sendInitialEvents: initial }),
  };
}

function parseSelection(query: URLSearchParams, scope: ListScope): Selection {
  const labels = parseLabelSelector(query.get("labelSelector") ?? "");
  const fields = parseFieldSelector(query.get("fieldSelector") ?? "", scope.type, scope.place);
  return {
    empty: labels.empty && fields.empty,
    matches: (object) => labels.matches(object.metadata.labels) && fields.matches(object),
  };
}

function matchProblems(query: URLSearchParams, match: string, plainWatch: boolean): FieldProblem[] {
  if (match === "") return [];
  const problems: FieldProblem[] = [];
  if (plainWatch) problems.push(forbiddenMatch("resourceVersionMatch is forbidden for watch"));
  if (!query.get("resourceVersion") && query.get("sendInitialEvents") === null) {
    problems.push(forbiddenMatch("resourceVersionMatch is forbidden unless resourceVersion is provided"));
  }
  if (query.get("continue"))
    problems.push(forbiddenMatch("resourceVersionMatch is forbidden when continue is provided"));
  if (match !== "Exact" && match !== "NotOlderThan") {
    problems.push({
      field: "resourceVersionMatch",
      reason: "FieldValueNotSupported",
      message: `Unsupported value: "${match}": supported values: "Exact", "NotOlderThan", ""`,
    });
  }
  if (match === "Exact" && query.get("resourceVersion") === "0") {
    problems.push(forbiddenMatch('resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  return problems;
}

function initialEventProblems(match: string, watch: boolean, minorVersion: number): FieldProblem[] {
  const problem = (field: string, why: string): FieldProblem => ({
    field,
    reason: "FieldValueForbidden",
    message: `Forbidden: ${why}`,
  });
  if (!watch) return [problem("sendInitialEvents", "sendInitialEvents is forbidden for list")];
  if (minorVersion < servesInitialEvents) {
    return [
      problem(
        "sendInitialEvents",
        "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
      ),
    ];
  }
  return match === "NotOlderThan"
    ? []
    : [
        problem(
          "resourceVersionMatch",
          "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        ),
      ];
}

function forbiddenMatch(why: string): FieldProblem {
  return { field: "resourceVersionMatch", reason: "FieldValueForbidden", message: `Forbidden: ${why}` };
}

function integerOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  return value;
}

function booleanOf(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  return text === null ? undefined : text !== "false" && text !== "0";
}
