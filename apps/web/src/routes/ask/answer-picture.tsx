import type { GraphData } from "@bowline/api";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, type ReactNode } from "react";

import type { AskedQuestion } from "../../graph/ask-search.ts";
import { nodeParameter } from "../../graph/node-ref.ts";
import { pictureOfRadius, pictureOfWay, type Picture } from "../../graph/picture.ts";

const GraphPicture = lazy(async () => {
  const { GraphPicture: component } = await import("../graph/graph-picture.tsx");
  return { default: component };
});

export interface AnswerPictureProps {
  readonly name: AskedQuestion;
  readonly data: GraphData<AskedQuestion>;
  readonly at: string | undefined;
}

/** An answer that is a way, or spreads, beside its words as a picture. A node leads to what is around it. */
export function AnswerPicture({ name, data, at }: AnswerPictureProps): ReactNode {
  const navigate = useNavigate();
  const picture = useMemo(() => pictureOf(name, data), [name, data]);
  if (picture === undefined || picture.nodes.length < 2) return null;
  const open = (id: string): void => {
    const ref = picture.nodes.find((node) => node.id === id)?.ref;
    if (ref === undefined) return;
    const cluster = ref.cluster === undefined ? {} : { cluster: ref.cluster };
    const time = at === undefined ? {} : { at };
    void navigate({ to: "/graph", search: { focus: nodeParameter(ref), ...cluster, ...time } });
  };
  return (
    <section aria-label="The same as a picture" className="flex h-96 flex-col border-t border-border">
      <Suspense fallback={null}>
        <GraphPicture
          picture={picture}
          grouping="none"
          focus={picture.nodes[0]?.id ?? ""}
          peeked={undefined}
          isWay={name === "path"}
          onPeek={open}
          onFocus={open}
        />
      </Suspense>
    </section>
  );
}

function pictureOf(name: AskedQuestion, data: GraphData<AskedQuestion>): Picture | undefined {
  if (name === "path" && "hops" in data) return pictureOfWay(data.hops);
  if (name === "blast-radius" && "depending" in data) return pictureOfRadius(data);
  return undefined;
}
