import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { addAround } from "./around.ts";
import { addAudit } from "./audit.ts";
import { addBlastRadius } from "./blast-radius.ts";
import { addDiff } from "./diff.ts";
import { addExport } from "./export.ts";
import { addExposure } from "./exposure.ts";
import { addImages } from "./images.ts";
import { addOrphans } from "./orphans.ts";
import { addPath } from "./path.ts";
import { addUses } from "./uses.ts";
import { addWhatCan } from "./what-can.ts";
import { addWhoCan } from "./who-can.ts";

export function addGraphCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("graph")
    .description(
      "Ask about the objects of all clusters: what uses what, who can do what, what runs where; now, and at any time that is kept.\n\nEvery answer says what was not observed, and how much you may not see.",
    );
  addExamples(command, [
    { does: "Who reads a Secret, and through which field", run: "bowline graph uses secret/shop/db" },
    {
      does: "Whether a Service leads to a Secret, and where to cut the way",
      run: "bowline graph path svc/shop/web secret/shop/db",
    },
    { does: "Who may read the Secrets of a namespace", run: "bowline graph who-can get secrets -n shop" },
    { does: "What has changed in the last ten minutes", run: "bowline graph diff 10m" },
  ]);
  addUses(command, context);
  addBlastRadius(command, context);
  addAround(command, context);
  addPath(command, context);
  addWhoCan(command, context);
  addWhatCan(command, context);
  addImages(command, context);
  addOrphans(command, context);
  addAudit(command, context);
  addExposure(command, context);
  addDiff(command, context);
  addExport(command, context);
}
