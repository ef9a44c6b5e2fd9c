import { anything, choice, flag, integer, line, list, object, optional } from "../schema/build.ts";
import { singleLine } from "../schema/text-rule.ts";
import { count, GraphEdge, graphLimits, GraphNode, nameLength } from "./graph-answer.ts";

const items = { maxItems: graphLimits.items };
const change = choice("What has become of it.", ["came", "went", "changed"]);

export const DiffData = object("What came, went and changed between two times.", {
  total: integer("How many changes there are, those included that are withheld or did not fit.", count),
  nodes: list(
    "Changes of objects, and of what is inside of them.",
    object("A change.", {
      change,
      node: GraphNode,
      remade: optional(flag("It was made again: it has another uid.")),
      properties: optional(
        list(
          "What is not as it was.",
          object("A property.", {
            name: line("Its name.", singleLine, nameLength),
            before: optional(anything("Its value before; missing if it had none.")),
            after: optional(anything("Its value after; missing if it has none.")),
          }),
          items,
        ),
      ),
    }),
    items,
  ),
  edges: list(
    "Changes of what connects them.",
    object("A change.", { change, from: GraphNode, to: GraphNode, edge: GraphEdge }),
    items,
  ),
});
