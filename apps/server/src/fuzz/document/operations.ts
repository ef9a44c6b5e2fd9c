import type { JsonSchema } from "@bowline/api";
import { asRecord } from "@bowline/core";

/** One thing that the OpenAPI document says can be asked of the server; every reference in it is resolved. */
export interface Operation {
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  /** With names in braces where parameters go. */
  readonly path: string;
  readonly needsToken: boolean;
  readonly parameters: readonly Parameter[];
  /** The schema of the body by its media type; empty where it takes none. */
  readonly bodies: ReadonlyMap<string, JsonSchema>;
  readonly needsBody: boolean;
  readonly answers: ReadonlyMap<number, DocumentedAnswer>;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

export interface DocumentedAnswer {
  /** By name, in lower case. */
  readonly headers: ReadonlyMap<string, JsonSchema>;
  /** By media type; empty for an answer without a body. */
  readonly bodies: ReadonlyMap<string, JsonSchema>;
}

/** The parts of the document that are read here. */
interface Document {
  readonly paths: Readonly<Record<string, PathItem>>;
}

interface PathItem extends Readonly<Record<string, unknown>> {
  readonly parameters?: readonly Parameter[];
}

interface OperationItem {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Contents; readonly required?: boolean };
  readonly responses: Readonly<Record<string, AnswerItem>>;
}

interface AnswerItem {
  readonly headers?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  readonly content?: Contents;
}

type Contents = Readonly<Record<string, { readonly schema: JsonSchema }>>;

const methods = ["get", "post", "put", "patch", "delete"] as const;

/** Every operation of a document, as the server sends it. */
export function operationsOf(json: string): Operation[] {
  const { paths }: Document = resolved(JSON.parse(json));
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return isOperation(operation) ? [operationOf(path, method, item.parameters ?? [], operation)] : [];
    }),
  );
}

function isOperation(value: unknown): value is OperationItem {
  return typeof value === "object" && value !== null && "operationId" in value;
}

function operationOf(
  path: string,
  method: string,
  shared: readonly Parameter[],
  { operationId, security, parameters = [], requestBody, responses }: OperationItem,
): Operation {
  const answers = Object.entries(responses).map(
    ([status, answer]) => [Number(status), answerOf(answer)] as const,
  );
  return {
    id: operationId,
    method: method.toUpperCase(),
    path,
    needsToken: security === undefined,
    parameters: [...shared, ...parameters],
    bodies: schemasOf(requestBody?.content),
    needsBody: requestBody?.required === true,
    answers: new Map(answers),
  };
}

function answerOf({ headers = {}, content }: AnswerItem): DocumentedAnswer {
  const named = Object.entries(headers).map(([name, { schema }]) => [name.toLowerCase(), schema] as const);
  return { headers: new Map(named), bodies: schemasOf(content) };
}

function schemasOf(content: Contents = {}): ReadonlyMap<string, JsonSchema> {
  return new Map(Object.entries(content).map(([mediaType, { schema }]) => [mediaType, schema]));
}

/** The document with what is referred to in the place of every reference. What is referred to twice is there once. */
function resolved(document: object): Document {
  const known = new Map<string, unknown>();
  const resolve = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(resolve);
    if ("$ref" in value) return target(String(value.$ref));
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item)]));
  };
  const target = (pointer: string): unknown => {
    if (!known.has(pointer)) known.set(pointer, resolve(valueAt(document, pointer)));
    return known.get(pointer);
  };
  return resolve(document) as Document;
}

function valueAt(document: object, pointer: string): unknown {
  const names = pointer.replace(/^#\//u, "").split("/");
  const found = names.reduce<unknown>((value, name) => asRecord(value)[name], document);
  if (found === undefined) throw new Error(`The document refers to ${pointer}, which it does not have.`);
  return found;
}
