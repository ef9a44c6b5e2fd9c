import type { Expression } from "./expression.ts";

/**
 * A Kubernetes object that is written once: plain objects, lists and scalars, with expressions and the nodes below where
 * the values decide. `evaluateTemplate` makes the object of it, `printTemplate` a template of Helm.
 */
export type Template =
  | string
  | number
  | boolean
  | Expression
  | When
  | Each
  | More
  | Merged
  | readonly Template[]
  | TemplateMap;

export interface TemplateMap {
  readonly [field: string]: Template;
}

/** A field or an item that is there only if the condition holds, or one of two. */
export class When {
  readonly condition: Expression;
  readonly template: Template;
  readonly otherwise: Template | undefined;

  constructor(condition: Expression, template: Template, otherwise?: Template) {
    this.condition = condition;
    this.template = template;
    this.otherwise = otherwise;
  }
}

/** In a list: an item for each of another list; `item` stands for it. */
export class Each {
  readonly list: Expression;
  readonly template: Template;

  constructor(list: Expression, template: Template) {
    this.list = list;
    this.template = template;
  }
}

/** In a list: all items of another list, as they are. */
export class More {
  readonly list: Expression;

  constructor(list: Expression) {
    this.list = list;
  }
}

/** Fields that are always there, and those of a map as they are. */
export class Merged {
  readonly fields: TemplateMap;
  readonly map: Expression;

  constructor(fields: TemplateMap, map: Expression) {
    this.fields = fields;
    this.map = map;
  }
}

export function when(condition: Expression, template: Template, otherwise?: Template): When {
  return new When(condition, template, otherwise);
}

/** The value, if it is not empty. */
export function ifSet(expression: Expression): When {
  return new When(expression, expression);
}

export function each(list: Expression, template: Template): Each {
  return new Each(list, template);
}

export function more(list: Expression): More {
  return new More(list);
}

export function merged(fields: TemplateMap, map: Expression): Merged {
  return new Merged(fields, map);
}

/** An object of the installation, in a file of its own in the chart. */
export interface ObjectTemplate {
  /** Without its ending. */
  readonly file: string;
  /** Always, if it says nothing. */
  readonly condition?: Expression;
  readonly template: TemplateMap;
}
