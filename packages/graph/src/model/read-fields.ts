import { shortened } from "@bowline/core";

import { factLimits } from "./limits.ts";

/** Fields of an object as a tree: whole, in part, or (what is not named) not at all. Lists are looked through. */
export interface FactFields {
  readonly [field: string]: true | FactFields;
}

/**
 * Readers for fields of objects that others wrote: whatever has another type than expected counts as absent. Control
 * characters and halves of characters are in no text, because databases refuse them.
 */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Something to tell people, shortened where it is too long. */
export function textOf(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  // Shortened before it is looked through: it may have a megabyte.
  const text = shortened(value, factLimits.text);
  return isClean(text) ? text : text.toWellFormed().replaceAll(/\p{Cc}/gu, " ");
}

/** Something to tell objects apart by: it is whole, or it is none. */
export function nameOf(value: unknown): string | undefined {
  return isName(value) ? value : undefined;
}

export function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= factLimits.text && isClean(value);
}

/** Neither kinds nor namespaces have a slash, or keys of nodes could not be read back. */
export function isKeyPart(value: unknown): value is string {
  return isName(value) && !value.includes("/");
}

/**
 * The words of a list that must be told whole or not at all, because without one of them it would mean more. A list that
 * is absent is empty; the core group is an empty word.
 */
export function wordsOf(value: unknown): readonly string[] | undefined {
  const words: unknown = value ?? [];
  if (!Array.isArray(words) || words.length > factLimits.listItems) return undefined;
  return words.every((word): word is string => word === "" || isName(word)) ? words : undefined;
}

export function numberOf(value: unknown): number | undefined {
  // JSON knows one zero, JavaScript two.
  return typeof value === "number" && Number.isFinite(value) ? value + 0 : undefined;
}

export function booleanOf(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** For fields of which only the unusual is worth a word. */
export function trueOf(value: unknown): true | undefined {
  return value === true ? true : undefined;
}

/** A number or text, such as a port that is named. */
export function scalarText(value: unknown): string | undefined {
  return typeof value === "number" && Number.isFinite(value) ? String(value) : textOf(value);
}

/** The API group in an apiVersion: `apps` of `apps/v1`, and empty of `v1`. */
export function groupOf(apiVersion: unknown): string {
  const text = nameOf(apiVersion) ?? "";
  return text.includes("/") ? text.slice(0, text.indexOf("/")) : "";
}

/** A pointer's step: names of annotations and labels have slashes. */
export function pointerStep(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

const controlCharacter = /\p{Cc}/u;

function isClean(value: string): boolean {
  return !controlCharacter.test(value) && value.isWellFormed();
}
