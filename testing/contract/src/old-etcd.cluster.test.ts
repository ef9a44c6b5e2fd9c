import { whyNoDebianEtcd } from "@bowline/test-cluster";
import { describe } from "vitest";

import { contract, oldEtcdTopics } from "./contract.ts";
import { realServerOnOldEtcd } from "./targets/real.ts";

describe.skipIf(await whyNoDebianEtcd())("with Debian's packages", () => {
  contract(realServerOnOldEtcd, oldEtcdTopics);
});
