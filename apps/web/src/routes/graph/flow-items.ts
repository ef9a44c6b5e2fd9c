import { Position } from "@xyflow/react";

import { groupPadding, nodeSize, type Positions } from "../../graph/layout.ts";
import { nodeLabel, type Picture, type PictureNode } from "../../graph/picture.ts";
import type { GroupBoxNode, ObjectCardNode } from "./object-card.tsx";

export interface FlowOptions {
  readonly positions: Positions;
  readonly groups: ReadonlyMap<string, string>;
  readonly peeked: string | undefined;
  /** Without, only groups are drawn: the nodes are outlines. */
  readonly hasCards: boolean;
}

/** Given, and not measured: nodes that are out of sight need not be mounted. */
const handles = [
  { type: "target" as const, position: Position.Left, x: 0, y: nodeSize.height / 2, width: 1, height: 1 },
  {
    type: "source" as const,
    position: Position.Right,
    x: nodeSize.width,
    y: nodeSize.height / 2,
    width: 1,
    height: 1,
  },
];

/** The picture as the drawing library takes it. */
export function flowNodes(
  { nodes }: Picture,
  { positions, groups, peeked, hasCards }: FlowOptions,
): (ObjectCardNode | GroupBoxNode)[] {
  const [middle] = nodes;
  const cards = nodes.map((object): ObjectCardNode => ({
    id: object.id,
    type: "object",
    position: positions.get(object.id) ?? { x: 0, y: 0 },
    ...nodeSize,
    handles,
    data: { object, isFocus: object.id === middle?.id },
    selected: object.id === peeked,
    ariaLabel: spoken(object),
    draggable: false,
  }));
  return [...groupBoxes(cards, groups), ...(hasCards ? cards : [])];
}

function groupBoxes(cards: readonly ObjectCardNode[], groups: ReadonlyMap<string, string>): GroupBoxNode[] {
  const members = Map.groupBy(
    cards.filter(({ id }) => groups.has(id)),
    ({ id }) => groups.get(id) ?? "",
  );
  return [...members].map(([name, inside]): GroupBoxNode => {
    const [xs, ys] = [inside.map(({ position }) => position.x), inside.map(({ position }) => position.y)];
    const [x, y] = [Math.min(...xs) - groupPadding.side, Math.min(...ys) - groupPadding.top];
    return {
      id: `group ${name}`,
      type: "box",
      position: { x, y },
      width: Math.max(...xs) + nodeSize.width + groupPadding.side - x,
      height: Math.max(...ys) + nodeSize.height + groupPadding.side - y,
      zIndex: -1,
      data: { name },
      selectable: false,
      focusable: false,
      draggable: false,
    };
  });
}

function spoken(object: PictureNode): string {
  const { trouble, change, isDangling } = object;
  return [nodeLabel(object), trouble ?? "", isDangling ? "not observed" : "", change ?? ""]
    .filter((part) => part !== "")
    .join(", ");
}
