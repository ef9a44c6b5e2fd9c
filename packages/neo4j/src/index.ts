/** @public For the server, whose log it follows. */
export type { FactsChange, FactsPage, GraphSource, SourceCluster, SourcePlace } from "./graph-source.ts";
/** @public For the server. */
export { Neo4jDatabase, type Neo4jOptions } from "./neo4j-database.ts";
/** @public For the server. */
export { runNeo4jSink, type Neo4jSinkOptions } from "./neo4j-sink.ts";
/** @public For the server. */
export { SinkMetrics } from "./sink-metrics.ts";
