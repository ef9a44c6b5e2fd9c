export type { FactsChange, FactsPage, GraphSource, SourceCluster, SourcePlace } from "./graph-source.ts";

export { Neo4jDatabase } from "./neo4j-database.ts";

export { runNeo4jSink } from "./neo4j-sink.ts";

export { SinkMetrics } from "./sink-metrics.ts";
