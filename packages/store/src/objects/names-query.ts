import type { FieldRequirement, Kind } from "@bowline/api";
import type { LabelRequirement } from "@bowline/core";
import { sql, type Compilable, type RawBuilder } from "kysely";

import type { Engine } from "../engine/engine.ts";
import { fieldTerm, labelTerm, termValue } from "./object-index.ts";

export interface Selection {
  readonly labels: readonly LabelRequirement[];
  readonly fields: readonly FieldRequirement[];
}

type Condition = RawBuilder<boolean>;

export interface Term {
  readonly term: string;
  readonly value: string;
}

/**
 * Finds the names of the objects that meet every requirement. One requirement of the form "has this value", the
 * leading one, is walked through in the index, which is in the order of names, so a page costs what it holds and not
 * what there is; the others are looked up for each candidate.
 */
export class NamesQuery {
  readonly #queries: Engine["queries"];
  readonly #kind: string;
  readonly #leading: Term | undefined;
  readonly #conditions: readonly Condition[];

  constructor(queries: Engine["queries"], kind: Kind, { labels, fields }: Selection, leading?: Term) {
    this.#queries = queries;
    this.#kind = kind.kind;
    this.#leading = leading;
    this.#conditions = [
      ...(leading === undefined
        ? []
        : [sql<boolean>`candidate.term = ${leading.term} and candidate.value = ${leading.value}`]),
      ...labels.filter((label) => !isLedBy(leading, labelTerms(label))).map(labelCondition),
      ...fields.filter((field) => !isLedBy(leading, fieldTerms(field))).map(fieldCondition),
    ];
  }

  count(): Compilable<{ count: number }> {
    const where = sql.join([sql`candidate.kind = ${this.#kind}`, ...this.#conditions], sql` and `);
    return this.#compilable(sql`select count(*) as count from ${this.#source()} where ${where}`);
  }

  page(after: string | undefined, limit: number): Compilable<{ name: string }> {
    const where = sql.join([this.#range(after ?? ""), ...this.#conditions], sql` and `);
    return this.#compilable(
      sql`select candidate.name as name from ${this.#source()} where ${where} order by candidate.kind, candidate.name limit ${limit}`,
    );
  }

  #source(): RawBuilder<unknown> {
    return this.#leading === undefined ? sql`objects as candidate` : sql`object_terms as candidate`;
  }

  /** For the reason that the query for a page of all objects has. */
  #range(after: string): Condition {
    return this.#leading === undefined
      ? sql<boolean>`(candidate.kind, candidate.name) > (${this.#kind}, ${after}) and candidate.kind <= ${this.#kind}`
      : sql<boolean>`candidate.kind = ${this.#kind} and candidate.name > ${after}`;
  }

  #compilable<O>(query: RawBuilder<unknown>): Compilable<O> {
    return { compile: () => query.$castTo<O>().compile(this.#queries) };
  }
}

/** The terms that could lead: of each an object must have exactly this value. */
export function leadingCandidates({ labels, fields }: Selection): Term[] {
  const terms = [...fields.map(fieldTerms), ...labels.map(labelTerms)];
  return terms.flatMap((alternatives) => (alternatives?.length === 1 ? alternatives : []));
}

/** The terms of which an object must have one, for requirements that are of that form. */
function labelTerms(label: LabelRequirement): Term[] | undefined {
  if (label.operator !== "in") return undefined;
  return label.values.map((value) => ({ term: labelTerm(label.key), value: termValue(value) }));
}

function fieldTerms({ field, operator, value }: FieldRequirement): Term[] | undefined {
  if (operator !== "=" || value === field.absent || field.text === "metadata.name") return undefined;
  return [{ term: fieldTerm(field.text), value: termValue(value) }];
}

function isLedBy(leading: Term | undefined, terms: readonly Term[] = []): boolean {
  const [only, ...others] = terms;
  if (leading === undefined || only === undefined || others.length > 0) return false;
  return only.term === leading.term && only.value === leading.value;
}

function labelCondition(label: LabelRequirement): Condition {
  const term = labelTerm(label.key);
  switch (label.operator) {
    case "in":
      return hasTerm(term, label.values);
    case "notIn":
      return not(hasTerm(term, label.values));
    case "exists":
      return hasTerm(term);
    case "absent":
    default:
      return not(hasTerm(term));
  }
}

function fieldCondition({ field, operator, value }: FieldRequirement): Condition {
  const holds = fieldHolds(field, value);
  return operator === "=" ? holds : not(holds);
}

function fieldHolds(field: FieldRequirement["field"], value: string): Condition {
  if (field.text === "metadata.name") return sql<boolean>`candidate.name = ${value}`;
  const term = fieldTerm(field.text);
  const has = hasTerm(term, [value]);
  return value === field.absent ? sql<boolean>`(${has} or ${not(hasTerm(term))})` : has;
}

/**
 * The offset does nothing but keep PostgreSQL from making a join of it: without statistics it joins in an order that
 * looks at every pair of rows.
 */
function hasTerm(term: string, values?: readonly string[]): Condition {
  const within =
    values === undefined
      ? sql``
      : sql` and term.value in (${sql.join(values.map((value) => sql.val(termValue(value))))})`;
  return sql<boolean>`exists (select 1 from object_terms as term where term.kind = candidate.kind and term.name = candidate.name and term.term = ${term}${within} limit 1 offset 0)`;
}

function not(condition: Condition): Condition {
  return sql<boolean>`not ${condition}`;
}
