import { formatPath, type PathPart } from "@bowline/core";

import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { maxExpandedLength } from "./limits.ts";
import { objectKeyText, objectLabel, readObject, type ManifestObject } from "./manifest-object.ts";
import { parameterProblem, parameterValue, type GivenParameter } from "./parameters.ts";
import { ProblemList, type ManifestProblem } from "./problem.ts";
import { hasOpening, isFact, openingInKey, textParts, type TextPart } from "./reference.ts";

export interface FillValues {
  /** Of the instance, or the default; those that have neither are not in it. */
  readonly parameters: ReadonlyMap<string, GivenParameter>;
  readonly cluster: ClusterFacts;
}

/** What manifests can know about the cluster they go to. */
export interface ClusterFacts {
  readonly name: string;
  readonly region?: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

export interface FilledManifests {
  readonly objects: readonly ManifestObject[];
  readonly problems: readonly ManifestProblem[];
  /** Those that are not among the objects, as they were. All of them, however many problems there are. */
  readonly refused: readonly RefusedManifest[];
}

export interface RefusedManifest {
  readonly object: ManifestObject;
  /** The first few. */
  readonly problems: readonly ManifestProblem[];
}

/** Whoever mends these finds the others. */
const problemsOfOne = 5;

/**
 * Puts values in the place of references. Objects have been parsed by then, so no value can become more than the text,
 * number or boolean it is, whatever characters are in it; and what a value says is not looked at for references again.
 */
export function fillParameters(objects: readonly ManifestObject[], values: FillValues): FilledManifests {
  return new Filler(values).fill(objects);
}

class Filler {
  readonly #values: FillValues;
  readonly #list = new ProblemList();
  #object = "";
  /** The problems of the object that is being filled. */
  #found: ManifestProblem[] = [];
  /** How much has been put in; one long value could be referred to a hundred thousand times. */
  #length = 0;

  constructor(values: FillValues) {
    this.#values = values;
  }

  fill(objects: readonly ManifestObject[]): FilledManifests {
    const filled: ManifestObject[] = [];
    const refused: RefusedManifest[] = [];
    const seen = new Set<string>();
    for (const object of objects) {
      this.#object = objectLabel(object);
      this.#found = [];
      const result = this.#fillOne(object, seen);
      if (result === undefined) refused.push({ object, problems: this.#found });
      else filled.push(result);
    }
    return { objects: filled, problems: this.#list.problems, refused };
  }

  #fillOne(object: ManifestObject, seen: Set<string>): ManifestObject | undefined {
    const value = this.#fill(object, []);
    if (this.#found.length > 0) return undefined;
    const read = readObject(value, { isFilled: true });
    if (!read.ok) {
      for (const message of read.problems) this.#add({ object: this.#object, message });
      return undefined;
    }
    // Names that differed while they were references may have become the same.
    const key = objectKeyText(read.object);
    if (seen.has(key)) {
      this.#add({
        object: objectLabel(read.object),
        message: "with its parameters, another object is the same one",
      });
      return undefined;
    }
    seen.add(key);
    return read.object;
  }

  #fill(value: JsonValue, path: PathPart[]): JsonValue {
    if (typeof value === "string") return hasOpening(value) ? this.#fillText(value, path) : value;
    if (isJsonList(value)) return value.map((item, index) => this.#fillAt(item, index, path));
    return isJsonObject(value) ? this.#fillObject(value, path) : value;
  }

  #fillObject(value: JsonObject, path: PathPart[]): JsonObject {
    const fields: Record<string, JsonValue> = {};
    for (const [key, item] of Object.entries(value)) {
      fields[key] = this.#fillAt(item, key, path);
      if (hasOpening(key)) this.#report([...path, key], openingInKey);
    }
    return fields;
  }

  #fillAt(value: JsonValue, part: PathPart, path: PathPart[]): JsonValue {
    if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
    path.push(part);
    const filled = this.#fill(value, path);
    path.pop();
    return filled;
  }

  /** A text that is one reference becomes the value itself, with its type; within longer text it is always text. */
  #fillText(text: string, path: readonly PathPart[]): JsonValue {
    const parts = textParts(text);
    const [only, ...others] = parts;
    if (only !== undefined && "reference" in only && others.length === 0)
      return this.#value(only.reference, path);
    return parts.map((part) => this.#part(part, path)).join("");
  }

  #part(part: TextPart, path: readonly PathPart[]): string {
    if ("text" in part) return part.text;
    if ("problem" in part) {
      this.#report(path, part.problem);
      return "";
    }
    const isParameter = !isFact(part.reference);
    // Its text as it was given: 0.10 stays 0.10.
    const given = isParameter ? this.#values.parameters.get(part.reference)?.text : undefined;
    const value = this.#value(part.reference, path);
    return given ?? String(value);
  }

  #value(reference: string, path: readonly PathPart[]): string | number | boolean {
    const found = isFact(reference) ? this.#fact(reference) : this.#parameter(reference);
    if ("problem" in found) {
      this.#report(path, found.problem);
      return "";
    }
    const length = String(found.value).length;
    if (this.#length + length > maxExpandedLength) {
      this.#report(
        path,
        `has no room: filled in, the objects become longer than ${maxExpandedLength} characters`,
      );
      return "";
    }
    this.#length += length;
    return found.value;
  }

  #parameter(name: string): Found {
    const given = this.#values.parameters.get(name);
    if (given === undefined) {
      return { problem: `refers to the parameter ${name}, which has neither a value nor a default` };
    }
    const value = parameterValue(given.type, given.text);
    if (value !== undefined) return { value };
    return { problem: `refers to the parameter ${name}, which ${parameterProblem(given.type, given.text)}` };
  }

  #fact(reference: string): Found {
    const { name, region, labels } = this.#values.cluster;
    if (reference === "cluster.name") return { value: name };
    if (reference === "cluster.region") {
      return region === undefined
        ? { problem: "refers to cluster.region, which the cluster does not have" }
        : { value: region };
    }
    const key = reference.slice("cluster.labels.".length);
    const label = Object.hasOwn(labels, key) ? labels[key] : undefined;
    if (label !== undefined) return { value: label };
    return { problem: `refers to the label ${key} of the cluster, which it does not have` };
  }

  #report(path: readonly PathPart[], message: string): void {
    this.#add({ object: this.#object, path: formatPath(path), message });
  }

  #add(problem: ManifestProblem): void {
    this.#list.add(problem);
    if (this.#found.length < problemsOfOne) this.#found.push(problem);
  }
}

type Found = { readonly value: string | number | boolean } | { readonly problem: string };
