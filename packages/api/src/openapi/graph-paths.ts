import { ViewFilters } from "../bodies/cluster-view.ts";
import { ReportFilters } from "../bodies/report-change.ts";
import { ExportFilters } from "../bodies/graph-filters.ts";
import { graphQuestions } from "../bodies/graph-questions.ts";
import { errorReferences, jsonAnswer } from "./answers.ts";
import { filterParameters, parameters } from "./parameters.ts";

const description =
  "Of the clusters for which the asker has AccessGrants, as they are or were at a time. What they may not see is withheld, and counted; what was not observed is told.";

/** Questions about the objects of clusters, and what agents have counted. */
export function graphPaths(): Record<string, object> {
  const questions = Object.entries(graphQuestions).map(([name, { schemaName, summary, filters }]) => [
    `/api/v1/graph/${name}`,
    {
      get: {
        operationId: `graph${schemaName}`,
        summary,
        description,
        tags: ["Graph"],
        parameters: filterParameters(filters),
        responses: {
          "200": jsonAnswer("The answer, as far as the asker may see it.", `${schemaName}Answer`),
          ...errorReferences("404", "410"),
        },
      },
    },
  ]);
  return {
    ...Object.fromEntries(questions),
    "/api/v1/graph/export": {
      get: {
        operationId: "graphExport",
        summary: "Export the graph of a Cluster for another program",
        description: `${description} The answer is text that is made while it is read; it ends with the number of nodes and edges that are withheld, in a comment or, as JSON, in the field withheld.`,
        tags: ["Graph"],
        parameters: filterParameters(ExportFilters),
        responses: {
          "200": {
            description: "The graph.",
            headers: { "X-Request-Id": { $ref: "#/components/headers/RequestId" } },
            content: {
              "application/json": { schema: { type: "object" } },
              "text/plain": { schema: { type: "string" } },
              "text/vnd.graphviz": { schema: { type: "string" } },
            },
          },
          ...errorReferences("404", "410"),
        },
      },
    },
    "/api/v1/views": { get: viewsOperation() },
    "/api/v1/reports": { get: reportsOperation() },
  };
}

function reportsOperation(): object {
  return {
    operationId: "watchReports",
    summary: "Watch when agents report something else than before",
    description:
      "That there is something new, of which Cluster and about what, for whoever shows an answer and would have to ask for it again and again. Of the Clusters for which the asker has AccessGrants. It begins with now, and numbers are those of one replica: a watch that goes on at another is told Expired, and begins anew.",
    tags: ["Graph"],
    parameters: [
      {
        name: "watch",
        in: "query",
        required: true,
        description: "There is no list: it is a stream of server-sent events.",
        schema: { type: "boolean", enum: [true] },
      },
      ...parameters("ResourceVersion", "LastEventId"),
      ...filterParameters(ReportFilters),
    ],
    responses: {
      "200": {
        description: "A stream of events, each with the resourceVersion as its id.",
        headers: { "X-Request-Id": { $ref: "#/components/headers/RequestId" } },
        content: {
          "text/event-stream": { schema: { $ref: "#/components/schemas/ReportChangeWatchEvent" } },
        },
      },
      ...errorReferences("404", "410"),
    },
  };
}

function viewsOperation(): object {
  return {
    operationId: "listViews",
    summary: "List what agents have counted in their Clusters, or watch it",
    description:
      "Of the Clusters for which the asker has AccessGrants. Who is held to namespaces sees the numbers of those, and none of the Cluster as a whole. A watch ends with Expired when it is other Clusters or namespaces than before that the asker may see.",
    tags: ["Graph"],
    parameters: [
      ...parameters("Limit", "Cursor", "Watch", "ResourceVersion", "LastEventId"),
      ...filterParameters(ViewFilters),
    ],
    responses: {
      "200": {
        description: "A page; with watch, a stream of events, each with the resourceVersion as its id.",
        headers: { "X-Request-Id": { $ref: "#/components/headers/RequestId" } },
        content: {
          "application/json": { schema: { $ref: "#/components/schemas/ClusterViewList" } },
          "text/event-stream": { schema: { $ref: "#/components/schemas/ClusterViewWatchEvent" } },
        },
      },
      ...errorReferences("404", "410"),
    },
  };
}
