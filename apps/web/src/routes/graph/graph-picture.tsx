import {
  Background,
  Controls,
  getViewportForBounds,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react";
import { useEffect, useMemo, useRef, type ReactNode, type RefObject } from "react";
import "@xyflow/react/dist/base.css";
import "./graph-picture.css";

import { drawnEdges } from "../../graph/edge-curves.ts";
import { groupsOf, type Grouping } from "../../graph/grouping.ts";
import { boundsOf, nodeSize } from "../../graph/layout.ts";
import type { Picture } from "../../graph/picture.ts";
import { pageClock } from "../../live/page-clock.ts";
import { EdgeLayer } from "./edge-layer.tsx";
import { FarLayer, useFar, useFarClick } from "./far-layer.tsx";
import { flowNodes } from "./flow-items.ts";
import { GroupBox, ObjectCard } from "./object-card.tsx";
import { useLayout, type Laid } from "./use-layout.ts";

export interface GraphPictureProps {
  readonly picture: Picture;
  readonly grouping: Grouping;
  /** What is in the middle: with another one, everything gets another place. */
  readonly focus: string;
  readonly peeked: string | undefined;
  /** It is drawn in one line, in its order. */
  readonly isWay?: boolean;
  readonly onPeek: (id: string) => void;
  readonly onFocus: (id: string) => void;
}

/** Until a large picture has places. */
const nothingYet: Pick<Laid, "picture" | "positions"> = {
  picture: { nodes: [], edges: [] },
  positions: new Map(),
};

const nodeTypes = { object: ObjectCard, box: GroupBox };

/** So many cover each other: they step back behind those of the node that is looked at. */
const manyEdges = 150;

/** Smaller than the least nobody can read a name. */
const zooms = { least: 0.5, fitting: 1, readable: 0.8 } as const;

const movements = ["graph-pulled", "graph-zoomed"] as const;

/** Somebody who pulls hand over hand has not stopped in between. */
const restMs = 300;

/** Tells the styles how the picture is moved: they draw less while it is. */
function useMovement(frame: RefObject<HTMLDivElement | null>): {
  readonly onMoveStart: (event: MouseEvent | TouchEvent | null) => void;
  readonly onMoveEnd: () => void;
} {
  const cancelRest = useRef(() => {});
  useEffect(() => () => cancelRest.current(), []);
  return {
    onMoveStart(event) {
      cancelRest.current();
      const movement = event instanceof WheelEvent ? "graph-zoomed" : "graph-pulled";
      frame.current?.classList.remove(...movements.filter((each) => each !== movement));
      frame.current?.classList.add(movement);
    },
    onMoveEnd() {
      cancelRest.current = pageClock.after(restMs, () => frame.current?.classList.remove(...movements));
    },
  };
}

/** A picture of what is around something. */
export function GraphPicture(props: GraphPictureProps): ReactNode {
  return (
    <ReactFlowProvider>
      <Drawn {...props} />
    </ReactFlowProvider>
  );
}

function Drawn(props: GraphPictureProps): ReactNode {
  const { grouping, focus, peeked, isWay = false, onPeek, onFocus } = props;
  const flow = useReactFlow();
  const groups = useMemo(() => groupsOf(props.picture, grouping), [props.picture, grouping]);
  const laid = useLayout(props.picture, groups, { of: `${focus} ${grouping}`, isWay });
  const { picture, positions } = laid ?? nothingYet;
  const isFar = useFar(picture);
  const nodes = useMemo(
    () => flowNodes(picture, { positions, groups, peeked, hasCards: !isFar }),
    [picture, positions, groups, peeked, isFar],
  );
  const onFarClick = useFarClick(positions, onPeek);
  const edges = useMemo(() => drawnEdges(picture, positions, peeked), [picture, positions, peeked]);
  const frame = useRef<HTMLDivElement>(null);
  const movement = useMovement(frame);
  const shownFor = useRef("");
  useEffect(() => {
    const of = `${focus} ${grouping}`;
    if (frame.current === null || shownFor.current === of || positions.size === 0) return;
    shownFor.current = of;
    const { clientWidth: width, clientHeight: height } = frame.current;
    const bounds = boundsOf(positions);
    const viewport = getViewportForBounds(bounds, width, height, zooms.least, zooms.fitting, 0.08);
    const isWhole = bounds.width * viewport.zoom <= width && bounds.height * viewport.zoom <= height;
    const middle = positions.get(focus) ?? { x: 0, y: 0 };
    // Where not everything fits, the one in the middle is what one came for.
    if (isWhole) void flow.setViewport(viewport);
    else {
      const [x, y] = [middle.x + nodeSize.width / 2, middle.y + nodeSize.height / 2];
      void flow.setCenter(x, y, { zoom: zooms.readable });
    }
  }, [flow, focus, grouping, positions]);
  return (
    <div
      ref={frame}
      className={`min-h-0 min-w-0 flex-1 ${picture.edges.length > manyEdges ? "graph-crowded" : ""}`}
      data-nodes={picture.nodes.length}
      aria-busy={laid === undefined}
    >
      <ReactFlow
        aria-label="Picture of what is around the object; the key v shows it as a table"
        nodes={nodes}
        nodeTypes={nodeTypes}
        minZoom={0.1}
        maxZoom={1.5}
        nodesConnectable={false}
        nodesDraggable={false}
        onlyRenderVisibleElements
        deleteKeyCode={null}
        onNodeClick={(_, node) => onPeek(node.id)}
        {...(isFar ? { onPaneClick: onFarClick } : {})}
        {...movement}
        onNodeDoubleClick={(_, node) => onFocus(node.id)}
        onNodesChange={(changes) => {
          // By the keyboard. What is selected is told by us: what the library has selected may be what was closed.
          const chosen = changes.find((change) => change.type === "select" && change.selected);
          if (chosen?.type === "select" && chosen.id !== peeked) onPeek(chosen.id);
        }}
      >
        <EdgeLayer edges={edges} />
        {isFar && <FarLayer picture={picture} positions={positions} peeked={peeked} />}
        <Background />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}
