import type { GraphData } from "@bowline/api";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { answerTable, nodeCells, type TableOptions } from "./answer-text.ts";
import { askQuestion } from "./ask-question.ts";
import { addQuestionOptions, type QuestionOptions } from "./question-options.ts";

export function addImages(command: Command, context: CommandContext): void {
  const images = command
    .command("images")
    .summary("Show which images run where, by digest")
    .description(
      "Show which images run where. An image is told apart by its digest: a tag that was moved is two images, and one image with two tags is one. Workloads that run it are those at the top, such as Deployments.",
    )
    .argument("[IMAGE]", "Only those that have this in their reference or digest");
  addQuestionOptions(images).action((image: string | undefined, options: QuestionOptions) =>
    showImages(context, image, options),
  );
  addExamples(images, [
    { does: "What runs, in all clusters", run: "bowline graph images" },
    { does: "Where a version runs that should not", run: "bowline graph images log4j:2.14 -o wide" },
    { does: "What ran an hour ago in one cluster", run: "bowline graph images --cluster prod --at 1h" },
  ]);
}

async function showImages(
  context: CommandContext,
  image: string | undefined,
  options: QuestionOptions,
): Promise<void> {
  await askQuestion(
    context,
    {
      name: "images",
      query: { image },
      table: ({ images }, table) => imageTable(images, table),
      nodes: ({ images }) =>
        images.map((each) => ({
          kind: "ContainerImage",
          namespace: "",
          name: each.digest ?? each.aliases[0]?.reference ?? "",
        })),
      whenNone: () =>
        image === undefined
          ? "No image runs."
          : `No image that runs has «${image}» in its reference or digest.`,
    },
    options,
  );
}

/** More places would take more than a line; `-o wide` shows them all. */
const mostPlaces = 2;
const shortDigest = "sha256:".length + 12;

type ImageUse = GraphData<"images">["images"][number];

function imageTable(images: readonly ImageUse[], { wide, headers }: TableOptions): string {
  const rows = images.map(({ digest = "<unknown>", aliases, containers, clusters, where, withheld }) => {
    const references = aliases.map(({ reference }) => reference);
    const places = where.map(({ workload }) => nodeCells(workload)[1]);
    const hidden = withheld > 0 ? [`<${withheld} withheld>`] : [];
    return [
      shortList(references, wide ? references.length : 1),
      wide ? digest : digest.slice(0, shortDigest),
      String(containers),
      clusters.join(","),
      [shortList([...new Set(places)], wide ? places.length : mostPlaces), ...hidden]
        .filter(Boolean)
        .join(","),
    ];
  });
  return answerTable(["REFERENCE", "DIGEST", "CONTAINERS", "CLUSTERS", "WORKLOADS"], rows, { headers });
}

function shortList(items: readonly string[], most: number): string {
  const shown = items.slice(0, most).join(",");
  return items.length > most ? `${shown} and ${items.length - most} more` : shown;
}
