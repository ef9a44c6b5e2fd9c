import { startPostgres } from "@bowline/test-services";

import { fuzzDocument } from "./fuzz-document.ts";

fuzzDocument("PostgreSQL", {
  openDatabase: async (stack) => {
    const server = await startPostgres();
    stack.defer(() => server.stop());
    return { type: "postgres", url: server.url };
  },
  runs: 5,
});
