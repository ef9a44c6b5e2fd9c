import type { Static, TObject, TSchema } from "typebox";

import { AroundData, TimelineData } from "./explorer-data.ts";
import { DiffData } from "./diff-data.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { graphAnswer } from "./graph-answer.ts";
import {
  AuditData,
  BlastRadiusData,
  ExposureData,
  ImagesData,
  OrphansData,
  PathData,
  SearchData,
  UsesData,
} from "./graph-data.ts";
import {
  AroundFilters,
  AuditFindingFilters,
  DiffFilters,
  ImagesFilters,
  NodeFilters,
  OrphansFilters,
  PathFilters,
  SearchFilters,
  TimelineFilters,
  WhatCanFilters,
  WhoCanFilters,
} from "./graph-filters.ts";
import { WhatCanData, WhoCanData } from "./rights-data.ts";

function question<Filters extends TObject, Data extends TSchema & { readonly description?: string }>(
  schemaName: string,
  summary: string,
  filters: Filters,
  data: Data,
) {
  return { schemaName, summary, filters, data, answer: graphAnswer(data.description ?? "", data) };
}

/** The questions about the objects of clusters: by the last part of their address, with parameters and answer. */
export const graphQuestions = {
  uses: question("Uses", "Say who uses an object, through which fields", NodeFilters, UsesData),
  "blast-radius": question(
    "BlastRadius",
    "Say what depends on an object, and what it reaches",
    NodeFilters,
    BlastRadiusData,
  ),
  around: question(
    "Around",
    "Say what is around an object, what is in trouble first, and what there was no room for",
    AroundFilters,
    AroundData,
  ),
  path: question("Path", "Say how one gets from one object to another", PathFilters, PathData),
  images: question("Images", "Say which images run where", ImagesFilters, ImagesData),
  orphans: question(
    "Orphans",
    "Say what nobody uses, and what is used and does not exist",
    OrphansFilters,
    OrphansData,
  ),
  audit: question(
    "Audit",
    "Say what weakens workloads and gives rights that nobody should have",
    AuditFindingFilters,
    AuditData,
  ),
  exposure: question(
    "Exposure",
    "Say which Secrets can be read from behind Services that are reached from outside",
    OrphansFilters,
    ExposureData,
  ),
  "who-can": question("WhoCan", "Say who may do something, by which rules", WhoCanFilters, WhoCanData),
  "what-can": question(
    "WhatCan",
    "Say what somebody may do, and whom they can become",
    WhatCanFilters,
    WhatCanData,
  ),
  diff: question("Diff", "Say what came, went and changed between two times", DiffFilters, DiffData),
  timeline: question(
    "Timeline",
    "Say when objects came, went and changed, and when that was not observed",
    TimelineFilters,
    TimelineData,
  ),
  search: question(
    "Search",
    "Find objects by name, label, image, IP address or uid",
    SearchFilters,
    SearchData,
  ),
} as const;

/** Questions that have one answer at a time, whose changes mean something. */
export type WatchedQuestion = Exclude<GraphQuestionName, "diff" | "timeline" | "around">;

/** Parameters as they are in an address, with the types that the question has for them. */
export function questionFilters(
  name: GraphQuestionName,
  texts: Readonly<Partial<Record<string, string>>>,
): Record<string, unknown> {
  const properties: Readonly<Record<string, JsonSchema>> = graphQuestions[name].filters.properties;
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, valueOf(properties[key], text)]),
  );
}

function valueOf(schema: JsonSchema | undefined, text: string | undefined): unknown {
  return schema?.type === "integer" && text !== undefined && /^[0-9]{1,9}$/u.test(text) ? Number(text) : text;
}

export type GraphQuestionName = keyof typeof graphQuestions;
export type GraphFilters<Name extends GraphQuestionName> = Static<(typeof graphQuestions)[Name]["filters"]>;
export type GraphData<Name extends GraphQuestionName> = Static<(typeof graphQuestions)[Name]["data"]>;
