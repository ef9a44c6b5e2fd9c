import { neo4jTest, startNeo4j } from "@bowline/test-services";
import { expect, test } from "vitest";

import { GraphBench } from "../../testing/graph-bench.ts";

const { skip, timeoutMs } = await neo4jTest();

test.skipIf(skip)(
  "a graph is written into an empty Neo4j, and into no other",
  { timeout: timeoutMs + 120_000 },
  async () => {
    await using bench = await GraphBench.open();
    const server = await startNeo4j();
    try {
      const { url, user, password, database } = server;
      const target = ["--neo4j", url, "--neo4j-user", user, "--neo4j-database", database];
      const write = () =>
        bench.bowline(["graph", "export", "--cluster", "edge", ...target], {
          environment: { NEO4J_PASSWORD: password },
        });
      const first = await write();
      expect(first).toMatchObject({ code: 0, error: "" });
      expect(first.out).toMatch(/^Wrote [1-9]\d* nodes and [1-9]\d* relationships in \d+ statements to /u);
      const second = await write();
      expect(second).toMatchObject({ code: 1, out: "" });
      expect(second.error).toContain("is not empty");
      const wrong = await bench.bowline(["graph", "export", "--cluster", "edge", ...target]);
      expect(wrong.error).toContain("does not take this user and password");
    } finally {
      await server.stop();
    }
  },
);
