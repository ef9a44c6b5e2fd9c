import { AccessGrant, GraphQuestion, User } from "@bowline/api";

import {
  objectController,
  type ObjectController,
  type WatchContext,
} from "../controllers/object-controller.ts";
import type { ClusterGraphs } from "../graph/cluster-graphs.ts";
import { GraphQuestions } from "../graph/graph-questions.ts";
import type { GrantCache } from "../proxy/admission/grant-cache.ts";
import type { ClusterClients } from "../workloads/cluster-clients.ts";
import { GraphRevisions } from "./graph-revisions.ts";
import { postWebhook } from "./post-webhook.ts";
import { QuestionReconciler } from "./question-reconciler.ts";

export interface QuestionControllerOptions {
  readonly graphs: ClusterGraphs;
  readonly grants: GrantCache;
  readonly clients: Pick<ClusterClients, "identityOf">;
}

/** Rights are part of every answer, and a controller that follows others looks at all of its own after a start. */
function allNames(_: unknown, { store }: WatchContext): Promise<readonly string[]> {
  return store.objects.listNames(GraphQuestion);
}

/** Each answer takes the processor for itself while it is made. */
const concurrency = 2;

/** Asks questions again when the graphs change. */
export function questionController({ graphs, grants, clients }: QuestionControllerOptions): ObjectController {
  return objectController({
    kind: GraphQuestion,
    concurrency,
    watches: [AccessGrant, User].map((kind) => ({ kind, namesOf: allNames })),
    reconciler: ({ store, clock, random }) =>
      new QuestionReconciler({
        objects: store.objects,
        questions: new GraphQuestions({ graphs, history: store.graph, grants, clock }),
        revisions: new GraphRevisions({ source: store.graph, grants, clock }),
        people: clients,
        post: postWebhook,
        random,
      }),
  });
}
