import { parseLabelSelector, type LabelSelector, type WorkloadInstance } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { parameterProblem, parameterTypes, type ParameterType } from "@bowline/manifests";

import { requireObjectName } from "../../resources/resource.ts";

export type Placement = WorkloadInstance["spec"]["placement"];

export interface PlacementOptions {
  readonly cluster?: readonly string[];
  readonly selector?: string;
}

/** Where the flags say that it goes; undefined when they say nothing. */
export function placementOf({ cluster, selector }: PlacementOptions): Placement | undefined {
  if (cluster !== undefined && selector !== undefined) {
    throw new BowlineError("InvalidArgument", "Give --cluster or --selector, not both.");
  }
  if (selector !== undefined) return { selector: selectorOf(selector) };
  if (cluster === undefined) return undefined;
  const names = cluster.flatMap((text) => text.split(",")).filter((name) => name !== "");
  if (names.length === 0) throw new BowlineError("InvalidArgument", "--cluster has no name in it.");
  return { clusters: [...new Set(names.map(requireObjectName))] };
}

const operators = { in: "In", notIn: "NotIn", exists: "Exists", absent: "DoesNotExist" } as const;

/** The text of a selector as objects carry it; `env=prod` stays readable as a label. */
function selectorOf(text: string): LabelSelector {
  const requirements = parseLabelSelector(text);
  if (requirements.length === 0) {
    throw new BowlineError(
      "InvalidArgument",
      "--selector is empty, which would mean every cluster there is.",
    );
  }
  const matchLabels: Record<string, string> = {};
  const matchExpressions: LabelSelector["matchExpressions"] = [];
  for (const requirement of requirements) {
    const { key, operator } = requirement;
    const values = "values" in requirement ? [...requirement.values] : undefined;
    const [only, ...others] = values ?? [];
    if (operator === "in" && only !== undefined && others.length === 0 && !Object.hasOwn(matchLabels, key)) {
      matchLabels[key] = only;
    } else {
      matchExpressions.push({
        key,
        operator: operators[operator],
        ...(values === undefined ? {} : { values }),
      });
    }
  }
  return { matchLabels, matchExpressions };
}

/** A value from the command line, with the type that it was given. */
export interface GivenValue {
  readonly name: string;
  readonly type?: ParameterType;
  readonly value: string;
}

const assignment = /^(?<name>[A-Za-z_][A-Za-z0-9_]{0,62})(?::(?<type>[a-z]+))?=(?<value>[^]*)$/u;

/** Reads `image=nginx:1.27` and `replicas:integer=3`. Throws `InvalidArgument`. */
export function parseSet(text: string): GivenValue {
  const { name = "", type, value = "" } = assignment.exec(text)?.groups ?? {};
  if (name === "") {
    throw new BowlineError(
      "InvalidArgument",
      `«${text.slice(0, 64)}» is not NAME=VALUE, or NAME:TYPE=VALUE with one of the types ${parameterTypes.join(", ")}.`,
    );
  }
  if (type === undefined) return { name, value };
  const found = parameterTypes.find((candidate) => candidate === type);
  if (found === undefined) {
    throw new BowlineError(
      "InvalidArgument",
      `«${type.slice(0, 64)}» is no type of a parameter; they are ${parameterTypes.join(", ")}.`,
    );
  }
  const problem = parameterProblem(found, value);
  if (problem !== undefined) throw new BowlineError("InvalidArgument", `The value of ${name} ${problem}.`);
  return { name, type: found, value };
}
