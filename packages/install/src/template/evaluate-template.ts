import { isRecord } from "@bowline/core";

import { asList, Expression, isEmpty, type Scope } from "./expression.ts";
import { Each, Merged, More, When, type Template, type TemplateMap } from "./template.ts";

/** The value that a template gives; undefined where nothing is to be. */
export function evaluateTemplate(template: Template, scope: Scope): unknown {
  if (typeof template !== "object") return template;
  if (template instanceof Expression) return template.evaluate(scope);
  if (template instanceof When) return evaluateWhen(template, scope);
  if (template instanceof Merged)
    return { ...evaluateMap(template.fields, scope), ...mapOf(template, scope) };
  if (template instanceof Each || template instanceof More) return evaluateItems(template, scope);
  if (isTemplateList(template)) return template.flatMap((each) => itemsOf(each, scope));
  return evaluateMap(template, scope);
}

function evaluateMap(fields: TemplateMap, scope: Scope): Record<string, unknown> {
  const entries = Object.entries(fields).map(
    ([name, field]) => [name, evaluateTemplate(field, scope)] as const,
  );
  return Object.fromEntries(entries.filter(([, given]) => given !== undefined));
}

function evaluateWhen({ condition, template, otherwise }: When, scope: Scope): unknown {
  if (!isEmpty(condition.evaluate(scope))) return evaluateTemplate(template, scope);
  return otherwise === undefined ? undefined : evaluateTemplate(otherwise, scope);
}

function evaluateItems(node: Each | More, scope: Scope): unknown[] {
  const items = asList(node.list.evaluate(scope));
  return node instanceof More
    ? [...items]
    : items.map((item) => evaluateTemplate(node.template, { ...scope, item }));
}

function itemsOf(template: Template, scope: Scope): unknown[] {
  if (template instanceof Each || template instanceof More) return evaluateItems(template, scope);
  const given = evaluateTemplate(template, scope);
  return given === undefined ? [] : [given];
}

function mapOf({ map }: Merged, scope: Scope): Readonly<Record<string, unknown>> {
  const given = map.evaluate(scope);
  return isRecord(given) ? given : {};
}

/** `Array.isArray` alone does not know lists that nobody may change. */
export function isTemplateList(template: Template): template is readonly Template[] {
  return Array.isArray(template);
}
