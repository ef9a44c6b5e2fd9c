import { isRecord, matchesLabels, type LabelRequirement } from "@bowline/core";

import { readRecords, readStrings, type JsonRecord } from "../store/json-value.ts";
import { qualifiedName, validLabelValue } from "../store/name-rules.ts";
import { badRequest } from "../store/status-errors.ts";

type Labels = Readonly<Record<string, string>>;

/** Only the text form can compare numbers. */
interface Comparison {
  readonly key: string;
  readonly operator: "gt" | "lt";
  readonly value: string;
}

type Requirement = LabelRequirement | Comparison;

/** Decides by labels; an empty selector takes everything. */
export interface LabelSelector {
  readonly empty: boolean;
  readonly matches: (labels: Labels | undefined) => boolean;
}

const tokenPattern = /\s*(?:(!=|==|=|!|>|<|\(|\)|,)|([^\s!=<>(),]+))/y;

/** Reads the text form: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`. */
export function parseLabelSelector(text: string): LabelSelector {
  const requirements = new SelectorReader(text).read();
  for (const requirement of requirements) {
    const { key } = requirement;
    const problems = qualifiedName(key);
    if (problems.length > 0)
      throw unreadable(`unable to parse requirement: <nil>: Invalid value: "${key}": ${problems.join("; ")}`);
    for (const value of valuesOf(requirement)) {
      const wrong = validLabelValue(value);
      if (wrong.length > 0)
        throw unreadable(
          `unable to parse requirement: values[0][${key}]: Invalid value: "${value}": ${wrong.join("; ")}`,
        );
    }
  }
  return selectorOf(requirements);
}

/** Reads the object form of workloads and policies: `matchLabels` and `matchExpressions`, or a plain map of labels. */
export function labelSelectorFrom(selector: unknown): LabelSelector {
  if (!isRecord(selector)) return { empty: true, matches: () => false };
  const expressions = readRecords({ selector }, "selector.matchExpressions").map((each): Requirement => {
    const key = String(each["key"]);
    if (each["operator"] === "Exists") return { key, operator: "exists" };
    if (each["operator"] === "DoesNotExist") return { key, operator: "absent" };
    return {
      key,
      operator: each["operator"] === "NotIn" ? "notIn" : "in",
      values: readStrings(each, "values"),
    };
  });
  const structured = "matchLabels" in selector || "matchExpressions" in selector;
  const labels = structured ? selector["matchLabels"] : selector;
  return selectorOf([...equalities(isRecord(labels) ? labels : {}), ...expressions]);
}

/** The text form of an object selector, as a scale subresource shows it. */
export function labelSelectorText(selector: JsonRecord): string {
  const labels = isRecord(selector["matchLabels"]) ? selector["matchLabels"] : {};
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`);
  const expressions = readRecords({ selector }, "selector.matchExpressions").map((each) => {
    const key = String(each["key"]);
    const values = readStrings(each, "values").join(",");
    if (each["operator"] === "Exists") return key;
    if (each["operator"] === "DoesNotExist") return `!${key}`;
    return `${key} ${each["operator"] === "NotIn" ? "notin" : "in"} (${values})`;
  });
  return [...pairs, ...expressions].join(",");
}

function equalities(labels: JsonRecord): Requirement[] {
  return Object.entries(labels).map(([key, value]) => ({ key, operator: "in", values: [String(value)] }));
}

function selectorOf(requirements: readonly Requirement[]): LabelSelector {
  return {
    empty: requirements.length === 0,
    matches: (labels = {}) => requirements.every((requirement) => satisfies(requirement, labels)),
  };
}

function satisfies(requirement: Requirement, labels: Labels): boolean {
  if (!("value" in requirement)) return matchesLabels([requirement], labels);
  const label = labels[requirement.key];
  if (label === undefined) return false;
  const difference = Number(label) - Number(requirement.value);
  return requirement.operator === "gt" ? difference > 0 : difference < 0;
}

function valuesOf(requirement: Requirement): readonly string[] {
  if ("value" in requirement) return [requirement.value];
  return "values" in requirement ? requirement.values : [];
}

class SelectorReader {
  readonly #tokens: string[];
  #position = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  read(): Requirement[] {
    const requirements: Requirement[] = [];
    while (this.#peek() !== "") {
      requirements.push(this.#requirement());
      const separator = this.#next();
      if (separator === "") break;
      if (separator !== ",") throw unreadable(`found '${separator}', expected: ',' or 'end of string'`);
      if (this.#peek() === "") throw unreadable("found '', expected: identifier after ','");
    }
    return requirements;
  }

  #requirement(): Requirement {
    if (this.#peek() === "!") {
      this.#next();
      return { key: this.#identifier(), operator: "absent" };
    }
    const key = this.#identifier();
    const operator = this.#peek();
    if (operator === "" || operator === ",") return { key, operator: "exists" };
    this.#next();
    switch (operator) {
      case "=":
      case "==":
        return { key, operator: "in", values: [this.#value()] };
      case "!=":
        return { key, operator: "notIn", values: [this.#value()] };
      case ">":
        return { key, operator: "gt", value: this.#value() };
      case "<":
        return { key, operator: "lt", value: this.#value() };
      case "in":
      case "notin":
        return { key, operator: operator === "in" ? "in" : "notIn", values: this.#values() };
      default:
        throw unreadable(`found '${operator}', expected: '=', '!=', '==', 'in', notin'`);
    }
  }

  #identifier(): string {
    const token = this.#next();
    if (token === "" || isSymbol(token)) throw unreadable(`found '${token}', expected: identifier`);
    return token;
  }

  /** A missing value is the empty string. */
  #value(): string {
    const token = this.#peek();
    return token === "" || isSymbol(token) ? "" : this.#next();
  }

  #values(): string[] {
    const open = this.#next();
    if (open !== "(") throw unreadable(`found '${open}' expected: '('`);
    const values: string[] = [];
    for (;;) {
      values.push(this.#value());
      const token = this.#next();
      if (token === ")") return values;
      if (token !== ",") throw unreadable(`found '${token}', expected: ',' or ')'`);
    }
  }

  #peek(): string {
    return this.#tokens[this.#position] ?? "";
  }

  #next(): string {
    const token = this.#peek();
    this.#position += 1;
    return token;
  }
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  tokenPattern.lastIndex = 0;
  const trimmed = text.trim();
  while (tokenPattern.lastIndex < trimmed.length) {
    const match = tokenPattern.exec(trimmed);
    if (!match) break;
    tokens.push(match[1] ?? match[2] ?? "");
  }
  return tokens;
}

function isSymbol(token: string): boolean {
  return /^(!=|==|=|!|>|<|\(|\)|,)$/.test(token);
}

function unreadable(why: string): Error {
  return badRequest(why);
}
