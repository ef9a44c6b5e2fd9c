import { describe, expect, test } from "vitest";

import { changing, dyingWhileChanging } from "./contract/changing.ts";
import { creating, dyingAllTheTime, dyingWhileCreating } from "./contract/creating.ts";
import { creatingAgain, deleting, deletingHalfMade, dyingWhileDeleting } from "./contract/deleting.ts";
import { foreignThings } from "./contract/foreign-things.ts";
import { looking } from "./contract/looking.ts";
import { lostAnswers, refusedCalls } from "./contract/lost-answers.ts";
import { lostRecords } from "./contract/lost-records.ts";
import { outages } from "./contract/outages.ts";
import { secrets } from "./contract/secrets.ts";
import { deletingWhatWasTakenAway, thingsTakenAway } from "./contract/things-taken-away.ts";
import { contractTopics, type ContractTopic, type ProviderStage } from "./provider-stage.ts";

interface ContractCheck {
  readonly title: string;
  /** Throws when the provider does not keep the contract. */
  readonly check: (stage: ProviderStage) => Promise<void>;
}

export const contractChecks: Readonly<Record<ContractTopic, readonly ContractCheck[]>> = {
  creating: [{ title: "makes a cluster once, and leaves it alone when it is ready", check: creating }],
  looking: [{ title: "changes nothing by a plan or a look", check: looking }],
  "dying while creating": [
    { title: "goes on with a creation that was cut off anywhere", check: dyingWhileCreating },
    { title: "makes a cluster by processes that die after one call each", check: dyingAllTheTime },
  ],
  deleting: [
    { title: "leaves nothing, also when nothing was made or is left", check: deleting },
    { title: "makes a cluster again that was deleted", check: creatingAgain },
  ],
  "dying while deleting": [
    { title: "goes on with a deletion that was cut off anywhere", check: dyingWhileDeleting },
  ],
  "deleting what is half made": [
    { title: "deletes what was cut off anywhere in its creation", check: deletingHalfMade },
  ],
  "lost answers": [
    { title: "makes one of each where the answer of a call is lost, and leaves nothing", check: lostAnswers },
  ],
  "lost records": [{ title: "finds what nobody remembers, and makes it no second time", check: lostRecords }],
  "refused calls": [{ title: "makes up for a call that failed", check: refusedCalls }],
  changing: [
    { title: "becomes what a changed spec says, wherever it changes", check: changing },
    { title: "goes on with a change that was cut off anywhere", check: dyingWhileChanging },
  ],
  "things of others": [
    { title: "refuses what somebody else made, and never touches it", check: foreignThings },
  ],
  "things taken away": [
    { title: "tells what was taken away by hand", check: thingsTakenAway },
    { title: "deletes what was taken away by hand", check: deletingWhatWasTakenAway },
  ],
  outages: [{ title: "takes nothing for lost or gone that does not answer", check: outages }],
  secrets: [{ title: "keeps and tells no secret", check: secrets }],
};

/** The contract of a provider: what a controller, and the people whose money it is, rely on. */
export function providerContract(name: string, stage: ProviderStage): void {
  describe(`The provider ${name}`, () => {
    for (const topic of contractTopics) {
      const reason = stage.omitted?.[topic];
      const note = reason === undefined ? "" : ` (left out: ${reason})`;
      for (const { title, check } of contractChecks[topic]) {
        const limit = stage.timeoutMs === undefined ? {} : { timeout: stage.timeoutMs };
        test.skipIf(reason !== undefined)(`${title}${note}`, limit, async () => {
          expect.hasAssertions();
          await check(stage);
        });
      }
    }
  });
}
