import type { GraphData, GraphFilters, GraphQuestionName } from "@bowline/api";
import type { DeepReadonly } from "@bowline/core";
import {
  around,
  audit,
  diff,
  edgeTypes,
  blastRadius,
  exposure,
  images,
  orphans,
  path,
  search,
  uses,
  whatCanDo,
  whoCanDo,
  type AnswerFrame,
  type Asking,
  type EdgeType,
  type WhoCanOptions,
} from "@bowline/graph";

import { accessRequestOf, subjectNamed } from "./access-request.ts";
import { kindNamed, nodeNamed } from "./node-named.ts";

/** An answer, apart from what all answers have. */
interface Told<Data> {
  readonly frame: AnswerFrame;
  readonly data: Data;
}

/** What a question can be answered from. */
export interface QuestionContext {
  readonly asking: Asking;
  /** The same at another time. */
  readonly askingAt: (time: string) => Promise<Asking>;
  /** Who reaches the clusters that are asked about, and whether the asker may know. */
  readonly people: () => Omit<WhoCanOptions, "limit">;
  /** What has become of the clusters that are asked about. */
  readonly timeline: (filters: GraphFilters<"timeline">) => Promise<DeepReadonly<GraphData<"timeline">>>;
}

type Answerers = {
  readonly [Name in GraphQuestionName]: (
    context: QuestionContext,
    filters: GraphFilters<Name>,
  ) => Told<DeepReadonly<GraphData<Name>>> | Promise<Told<DeepReadonly<GraphData<Name>>>>;
};

/** How each question is answered. */
export const answerers: Answerers = {
  exposure: ({ asking }, filters) => told(exposure(asking, filters)),
  "who-can": ({ asking, people }, filters) =>
    told(whoCanDo(asking, accessRequestOf(filters), { limit: filters.limit, ...people() })),
  "what-can": ({ asking }, { subject, ...filters }) =>
    told(whatCanDo(asking, subjectNamed(subject), filters)),
  diff: async ({ asking, askingAt }, { from, ...filters }) => {
    const before = await askingAt(from);
    return told(diff(before, asking, filters));
  },
  uses: ({ asking }, { node, limit }) => told(uses(asking, nodeNamed(asking, node, "node"), limit)),
  "blast-radius": ({ asking }, { node, limit }) =>
    told(blastRadius(asking, nodeNamed(asking, node, "node"), { limit })),
  path: ({ asking }, { from, to }) =>
    told(path(asking, nodeNamed(asking, from, "from"), nodeNamed(asking, to, "to"))),
  around: ({ asking }, { node, depth, edges, limit }) =>
    told(around(asking, nodeNamed(asking, node, "node"), { depth, types: edgeTypesNamed(edges), limit })),
  timeline: async ({ asking, timeline }, filters) => ({
    // What somebody may not see is not counted: its changes would tell of it.
    frame: { withheld: 0, truncated: false, notObserved: asking.coverage },
    data: await timeline(filters),
  }),
  images: ({ asking }, { image, limit }) => told(images(asking, { text: image, limit })),
  orphans: ({ asking }, filters) => told(orphans(asking, filters)),
  audit: ({ asking }, filters) => told(audit(asking, filters)),
  search: ({ asking }, { text, kind, limit }) =>
    told({
      ...search(asking, text, { limit, kind: kind === undefined ? undefined : kindNamed(kind) }),
      // Whoever guesses names would learn from a count which of them there are.
      withheld: 0,
    }),
};

function told<Answer extends AnswerFrame>(answer: Answer): Told<Omit<Answer, keyof AnswerFrame>> {
  const { withheld, truncated, notObserved, ...data } = answer;
  return { frame: { withheld, truncated, notObserved }, data };
}

function edgeTypesNamed(names: string | undefined): ReadonlySet<EdgeType> | undefined {
  const named = names?.split(",");
  return named === undefined ? undefined : new Set(edgeTypes.filter((type) => named.includes(type)));
}
