import { createTempFolder } from "@bowline/test-services";

import { fuzzDocument } from "./fuzz-document.ts";

fuzzDocument("SQLite", {
  openDatabase: async (stack) => {
    const folder = stack.use(await createTempFolder("fuzz"));
    return { type: "sqlite", file: `${folder.path}/bowline.db` };
  },
  runs: 20,
});
