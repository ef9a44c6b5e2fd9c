import {
  createValidator,
  ExportFilters,
  graphQuestions,
  type GraphQuestionName,
  type JsonSchema,
  type Validated,
} from "@bowline/api";
import { BowlineError } from "@bowline/core";
import type { FastifyRequest } from "fastify";

import type { ApiPlugin } from "../api/http-api.ts";
import { exportTypes } from "../graph/graph-export.ts";
import type { GraphQuestions } from "../graph/graph-questions.ts";
import { identityOf } from "../http/admission.ts";
import { readQuery } from "../http/query.ts";

export interface GraphRoutesOptions {
  readonly questions: Pick<GraphQuestions, "ask" | "export">;
}

/** Questions about the objects of clusters. Whoever is signed in may ask: AccessGrants decide what they are told. */
export function graphRoutes({ questions }: GraphRoutesOptions): ApiPlugin {
  return (app) => {
    const add = (name: GraphQuestionName): void => {
      const { filters } = graphQuestions[name];
      const read = filterReader(filters, createValidator(filters));
      app.get(`/api/v1/graph/${name}`, (request) => questions.ask(identityOf(request), name, read(request)));
    };
    for (const name of Object.keys(graphQuestions)) if (isQuestion(name)) add(name);
    const readExport = filterReader(ExportFilters, createValidator(ExportFilters));
    app.get("/api/v1/graph/export", async (request, reply) => {
      const { format, ...scope } = readExport(request);
      const stream = await questions.export(identityOf(request), format, scope);
      return reply.type(exportTypes[format]).send(stream);
    });
  };
}

function isQuestion(name: string): name is GraphQuestionName {
  return name in graphQuestions;
}

/** Reads the parameters of a question; `InvalidArgument` for those it does not have and for values that cannot be. */
function filterReader<Filters>(
  { properties = {} }: JsonSchema,
  validate: (value: unknown) => Validated<Filters>,
): (request: FastifyRequest) => Filters {
  return (request) => {
    const query = readQuery(request, Object.keys(properties));
    const read = validate(
      Object.fromEntries(Object.entries(query).map(([key, text]) => [key, valueOf(properties[key], text)])),
    );
    if (read.ok) return read.value;
    const [problem] = read.problems;
    throw new BowlineError("InvalidArgument", `The parameter ${problem?.path} ${problem?.message}.`);
  };
}

/** An address has text only. */
function valueOf(schema: JsonSchema | undefined, text: string | undefined): unknown {
  return schema?.type === "integer" && text !== undefined && /^[0-9]{1,9}$/u.test(text) ? Number(text) : text;
}
