import { didYouMean, formatPath, type PathPart } from "@bowline/core";

import { isJsonList, isJsonObject, type JsonValue } from "./json.ts";
import { objectLabel, type ManifestObject } from "./manifest-object.ts";
import { ProblemList, type ManifestProblem } from "./problem.ts";
import { hasOpening, isFact, openingInKey, textParts } from "./reference.ts";

/** A parameter or a fact that objects refer to, and where the first reference to it is. */
export interface ReferenceUse {
  readonly name: string;
  readonly object: string;
  readonly path: string;
}

/** Each name is there once, and sorted: the same objects have the same lists, so that they can be part of a key. */
export interface ReferencesInObjects {
  readonly parameters: readonly ReferenceUse[];
  /** `cluster.name`, `cluster.region`, `cluster.labels.KEY`. */
  readonly facts: readonly ReferenceUse[];
  readonly problems: readonly ManifestProblem[];
}

/** All that objects refer to, without any values: a definition can be checked by it before there is an instance. */
export function referencesIn(objects: readonly ManifestObject[]): ReferencesInObjects {
  const uses = new Map<string, ReferenceUse>();
  const list = new ProblemList();
  for (const object of objects) {
    const label = objectLabel(object);
    const onText = (text: string, path: readonly PathPart[]): void => {
      for (const part of textParts(text)) {
        if ("text" in part) continue;
        const place = { object: label, path: formatPath(path) };
        if ("problem" in part) list.add({ ...place, message: part.problem });
        else if (!uses.has(part.reference)) uses.set(part.reference, { name: part.reference, ...place });
      }
    };
    const onKey = (path: readonly PathPart[]): void => {
      list.add({ object: label, path: formatPath(path), message: openingInKey });
    };
    visitTexts(object, [], { onText, onKey });
  }
  const sorted = [...uses.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    parameters: sorted.filter(({ name }) => !isFact(name)),
    facts: sorted.filter(({ name }) => isFact(name)),
    problems: list.problems,
  };
}

/** References that cannot be filled in: to parameters that nobody declared, and those that are not written right. */
export function referenceProblems(
  objects: readonly ManifestObject[],
  declared: readonly string[],
): ManifestProblem[] {
  const { parameters, problems } = referencesIn(objects);
  const undeclared = parameters
    .filter(({ name }) => !declared.includes(name))
    .map(({ name, ...place }) => ({
      ...place,
      message: `refers to the parameter ${name}, which is not in spec.parameters${didYouMean(name, declared)}`,
    }));
  return [...problems, ...undeclared];
}

interface TextVisitor {
  readonly onText: (text: string, path: readonly PathPart[]) => void;
  readonly onKey: (path: readonly PathPart[]) => void;
}

/** Calls back for texts and keys that have the opening of a reference in them. */
function visitTexts(value: JsonValue, path: PathPart[], visitor: TextVisitor): void {
  if (typeof value === "string") {
    if (hasOpening(value)) visitor.onText(value, path);
  } else if (isJsonList(value)) {
    for (const [index, item] of value.entries()) visitAt(item, index, path, visitor);
  } else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (hasOpening(key)) visitor.onKey([...path, key]);
      visitAt(item, key, path, visitor);
    }
  }
}

function visitAt(value: JsonValue, part: PathPart, path: PathPart[], visitor: TextVisitor): void {
  if (typeof value === "number" || typeof value === "boolean" || value === null) return;
  path.push(part);
  visitTexts(value, path, visitor);
  path.pop();
}
