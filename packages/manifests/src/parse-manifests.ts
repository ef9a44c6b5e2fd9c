import { isJsonList, isJsonObject, type JsonValue } from "./json.ts";
import { maxManifestObjects } from "./limits.ts";
import {
  objectKeyText,
  objectLabel,
  readObject,
  type ManifestObject,
  type ReadObject,
} from "./manifest-object.ts";
import { ProblemList, type ManifestProblem } from "./problem.ts";
import { DocumentReader, manifestLimits, type ReadDocument, type TextLimits } from "./read-documents.ts";

export interface ParsedManifests {
  /** In the order of the text; those that can be used, even where others cannot. */
  readonly objects: readonly ManifestObject[];
  /** Everything that is wrong; what is applied is a text without problems only. */
  readonly problems: readonly ManifestProblem[];
}

/**
 * Reads the Kubernetes objects of a text in YAML (or JSON, which is YAML), as kubectl would: several documents, lists as
 * their items, empty documents left out. Never throws.
 */
export function parseManifests(text: string, limits: TextLimits = manifestLimits): ParsedManifests {
  return new ManifestParser().parse(text, limits);
}

class ManifestParser {
  readonly #problems = new ProblemList();
  readonly #objects: ManifestObject[] = [];
  /** The line of each object, by its key. */
  readonly #lines = new Map<string, number>();
  #count = 0;

  parse(text: string, limits: TextLimits): ParsedManifests {
    for (const document of new DocumentReader(text, this.#problems, limits).read()) {
      this.#readValue(document.value, document);
    }
    if (this.#count > maxManifestObjects) {
      this.#problems.add({
        message: `these are ${this.#count} objects; at most ${maxManifestObjects} can be in one definition`,
        limit: "objects",
      });
    }
    return { objects: this.#objects, problems: this.#problems.problems };
  }

  #readValue(value: JsonValue, document: ReadDocument): void {
    if (value === null) return;
    const items = itemsOf(value);
    if (items !== undefined) {
      for (const item of items) this.#readValue(item, document);
      return;
    }
    const place = { document: document.number, line: document.lineOf(value) };
    this.#count++;
    if (this.#count > maxManifestObjects) return;
    const read: ReadObject = isList(value)
      ? { ok: false, problems: ["a List needs a list of items"] }
      : readObject(value);
    if (!read.ok) {
      for (const message of read.problems) {
        this.#problems.add({ ...place, object: objectLabel(value), message });
      }
      return;
    }
    const { object } = read;
    const key = objectKeyText(object);
    const other = this.#lines.get(key);
    if (other === undefined) {
      this.#lines.set(key, place.line);
      this.#objects.push(object);
    } else {
      const message = `the same object is on line ${other} already`;
      this.#problems.add({ ...place, object: objectLabel(object), message });
    }
  }
}

/** The items of a list, as `kubectl get -o yaml` prints several objects; undefined for what is none. */
function itemsOf(value: JsonValue): readonly JsonValue[] | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kind, items } = value;
  if (typeof kind !== "string" || !kind.endsWith("List")) return undefined;
  if (isJsonList(items)) return items;
  return kind === "List" && items === null ? [] : undefined;
}

/** A list of any kinds whose items are missing or no list. */
function isList(value: JsonValue): boolean {
  return isJsonObject(value) && value["kind"] === "List" && value["apiVersion"] === "v1";
}
