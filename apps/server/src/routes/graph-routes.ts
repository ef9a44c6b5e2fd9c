import {
  Cluster,
  createValidator,
  PathFilters,
  UsesFilters,
  type ClusterViews,
  type GraphAnswer,
} from "@bowline/api";
import { isRecord } from "@bowline/core";
import { blastRadius, path, uses } from "@bowline/graph";
import { notFound, type Store } from "@bowline/store";

import type { ApiPlugin } from "../api/http-api.ts";
import { requireName } from "../api/object-api.ts";
import { nodeNamed, type GraphQuestions } from "../graph/graph-questions.ts";
import { identityOf } from "../http/admission.ts";
import { readQuery } from "../http/query.ts";
import { readRecordQuery } from "./record-query.ts";

export interface GraphRoutesOptions {
  readonly store: Pick<Store, "objects" | "graph">;
  readonly questions: Pick<GraphQuestions, "ask">;
}

const aboutNode = {
  filterNames: Object.keys(UsesFilters.properties),
  validate: createValidator(UsesFilters),
  otherNames: [],
};
const aboutPath = {
  filterNames: Object.keys(PathFilters.properties),
  validate: createValidator(PathFilters),
  otherNames: [],
};

/** Questions about the objects of clusters. Whoever is signed in may ask: AccessGrants decide what they are told. */
export function graphRoutes({ store, questions }: GraphRoutesOptions): ApiPlugin {
  return (app) => {
    app.get("/api/v1/graph/uses", async (request): Promise<GraphAnswer> => {
      const { filters } = readRecordQuery(request, aboutNode);
      return questions.ask(identityOf(request), filters, (asking) =>
        uses(asking, nodeNamed(asking, filters.node, "node")),
      );
    });
    app.get("/api/v1/graph/blast-radius", async (request): Promise<GraphAnswer> => {
      const { filters } = readRecordQuery(request, aboutNode);
      return questions.ask(identityOf(request), filters, (asking) =>
        blastRadius(asking, nodeNamed(asking, filters.node, "node")),
      );
    });
    app.get("/api/v1/graph/path", async (request): Promise<GraphAnswer> => {
      const { filters } = readRecordQuery(request, aboutPath);
      return questions.ask(identityOf(request), filters, (asking) =>
        path(asking, nodeNamed(asking, filters.from, "from"), nodeNamed(asking, filters.to, "to")),
      );
    });
    const config = { action: { verb: "get", kind: Cluster } } as const;
    app.get<{ Params: { name: string } }>(
      "/api/v1/clusters/:name/views",
      { config },
      async (request): Promise<ClusterViews> => {
        readQuery(request, []);
        return readViews(store, requireName(Cluster, request));
      },
    );
  };
}

async function readViews(
  { objects, graph }: GraphRoutesOptions["store"],
  name: string,
): Promise<ClusterViews> {
  const cluster = await objects.get(Cluster, name);
  if (cluster === undefined) throw notFound(Cluster, name);
  const views = await graph.views(cluster.metadata.id);
  return {
    items: views.map(({ name: view, content, updatedAtMs }) => ({
      name: view,
      updatedAt: new Date(updatedAtMs).toISOString(),
      numbers: numbersOf(content),
    })),
  };
}

function numbersOf(content: string): Record<string, number> {
  const value: unknown = JSON.parse(content);
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}
