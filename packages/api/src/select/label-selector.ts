import { BowlineError, type LabelRequirement } from "@bowline/core";
import type { Static } from "typebox";

import { choice, list, map, object, optional, text, withDefault } from "../schema/build.ts";
import { labelValue, qualifiedName } from "../schema/text-rule.ts";
import { stringCheck } from "../validate/read-string.ts";
import type { Problem } from "../validate/report.ts";

/** The LabelSelector of Kubernetes. All its parts must hold; one without parts selects everything. */
export const LabelSelector = object("Selects objects by their labels; an empty one selects all.", {
  matchLabels: withDefault(
    map("Labels that must be there with these values.", text("The value.", labelValue), {
      keys: qualifiedName,
      maxProperties: 32,
    }),
    {},
  ),
  matchExpressions: withDefault(
    list(
      "Further conditions on labels.",
      object("A condition on one label.", {
        key: text("The key of the label.", qualifiedName),
        operator: choice("What must hold for it.", ["In", "NotIn", "Exists", "DoesNotExist"]),
        values: optional(
          list("The values for In and NotIn.", text("A value.", labelValue), { maxItems: 100, unique: true }),
        ),
      }),
      { maxItems: 32 },
    ),
    [],
  ),
});
export type LabelSelector = Static<typeof LabelSelector>;

/** Problems that the schema cannot find: In and NotIn need values, Exists and DoesNotExist have none. */
export function labelSelectorProblems(selector: LabelSelector, at: string): Problem[] {
  return selector.matchExpressions.flatMap(({ operator, values = [] }, index) => {
    const path = `${at}.matchExpressions[${index}].values`;
    const needsValues = operator === "In" || operator === "NotIn";
    if (needsValues && values.length === 0)
      return [{ path, message: `must not be empty with the operator ${operator}` }];
    if (!needsValues && values.length > 0)
      return [{ path, message: `must be empty with the operator ${operator}` }];
    return [];
  });
}

export const maxSelectorLength = 4096;

const checkKey = stringCheck({ ...qualifiedName, "x-bowline-expects": qualifiedName.expects });
const checkValue = stringCheck({ ...labelValue, "x-bowline-expects": labelValue.expects });

/** One requirement, from where the last one ended: a set, a comparison, or a key alone. */
const setPattern = /^\s*(\S+)\s+(in|notin)\s*\(([^()]*)\)\s*$/;
const comparePattern = /^\s*([^\s=!]+)\s*(==|=|!=)\s*([^\s=!]*)\s*$/;
const keyPattern = /^\s*(!?)\s*([^\s=!]+)\s*$/;

/** Parses `app=web,tier in (a,b),!canary` as Kubernetes does. Throws `InvalidArgument`, which names the part at fault. */
export function parseLabelSelector(text: string): LabelRequirement[] {
  if (text.length > maxSelectorLength) {
    throw refused(`The label selector is longer than ${maxSelectorLength} characters.`);
  }
  return text.trim() === "" ? [] : splitRequirements(text).map(parseRequirement);
}

/** Splits at the commas that are not inside of parentheses. */
function splitRequirements(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let inside = false;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === "(") inside = true;
    else if (text[index] === ")") inside = false;
    else if (text[index] === "," && !inside) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)];
}

function parseRequirement(part: string): LabelRequirement {
  const set = setPattern.exec(part);
  if (set !== null) {
    const values = (set[3] ?? "").split(",").map((value) => value.trim());
    return {
      key: checkedKey(set[1]),
      operator: set[2] === "in" ? "in" : "notIn",
      values: values.map(checkedValue),
    };
  }
  const compared = comparePattern.exec(part);
  if (compared !== null) {
    const operator = compared[2] === "!=" ? "notIn" : "in";
    return { key: checkedKey(compared[1]), operator, values: [checkedValue(compared[3])] };
  }
  const alone = keyPattern.exec(part);
  if (alone !== null) return { key: checkedKey(alone[2]), operator: alone[1] === "!" ? "absent" : "exists" };
  throw refused(
    `The label selector has «${shown(part)}», which is none of key=value, key!=value, key in (a,b), key notin (a,b), key and !key.`,
  );
}

function checkedKey(key = ""): string {
  const problem = checkKey(key);
  if (problem !== undefined)
    throw refused(`The label selector has the key «${shown(key)}», which ${problem}.`);
  return key;
}

function checkedValue(value = ""): string {
  const problem = checkValue(value);
  if (problem !== undefined)
    throw refused(`The label selector has the value «${shown(value)}», which ${problem}.`);
  return value;
}

function shown(part: string): string {
  return part.trim().slice(0, 64);
}

function refused(message: string): BowlineError {
  return new BowlineError("InvalidArgument", message);
}

/** The text that `parseLabelSelector` reads back as the same requirements. */
export function printLabelSelector(requirements: readonly LabelRequirement[]): string {
  return requirements.map(printRequirement).join(",");
}

function printRequirement(requirement: LabelRequirement): string {
  const { key } = requirement;
  if (requirement.operator === "exists") return key;
  if (requirement.operator === "absent") return `!${key}`;
  const { operator } = requirement;
  const [first, ...others] = requirement.values;
  if (first !== undefined && others.length === 0) return `${key}${operator === "in" ? "=" : "!="}${first}`;
  return `${key} ${operator === "in" ? "in" : "notin"} (${requirement.values.join(",")})`;
}
