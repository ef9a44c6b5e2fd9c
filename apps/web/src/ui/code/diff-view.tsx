import { unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Range } from "@codemirror/state";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";
import { useEffect, useRef, type ReactNode } from "react";

import { readOnly, yamlLook } from "./code-look.ts";

/** A remark behind a line of the text that is new. */
export interface LineNote {
  /** The first is 1. */
  readonly line: number;
  readonly text: string;
}

export interface DiffViewProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
  readonly notes?: readonly LineNote[];
  /** Lines of the new text, from 1, that stand out from the others that are new. */
  readonly tints?: readonly { readonly from: number; readonly to: number }[];
}

/** The difference of two texts, with what is the same folded away. */
export function DiffView({ label, before, after, notes, tints }: DiffViewProps): ReactNode {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const editor = new EditorView({
      ...(parent.current === null ? {} : { parent: parent.current }),
      state: EditorState.create({
        doc: after,
        extensions: [
          yamlLook(label),
          readOnly,
          unifiedMergeView({
            original: before,
            mergeControls: false,
            highlightChanges: true,
            collapseUnchanged: { margin: 3, minSize: 6 },
          }),
          EditorView.decorations.of((view) => noteDecorations(view.state, notes ?? [])),
          EditorView.decorations.of((view) => tintDecorations(view.state, tints ?? [])),
        ],
      }),
    });
    return () => editor.destroy();
  }, [label, before, after, notes, tints]);
  return <div ref={parent} className="h-full min-h-0 overflow-hidden" />;
}

class Note extends WidgetType {
  readonly #text: string;

  constructor(text: string) {
    super();
    this.#text = text;
  }

  override eq(other: Note): boolean {
    return other.#text === this.#text;
  }

  toDOM(): HTMLElement {
    const element = document.createElement("span");
    element.className = "cm-note";
    element.textContent = this.#text;
    return element;
  }
}

function noteDecorations(state: EditorState, notes: readonly LineNote[]): ReturnType<typeof Decoration.set> {
  const ranges = notes
    .filter(({ line }) => line >= 1 && line <= state.doc.lines)
    .map(({ line, text }): Range<Decoration> =>
      Decoration.widget({ widget: new Note(text), side: 1 }).range(state.doc.line(line).to),
    );
  return Decoration.set(ranges, true);
}

function tintDecorations(
  state: EditorState,
  tints: NonNullable<DiffViewProps["tints"]>,
): ReturnType<typeof Decoration.set> {
  const lines = tints.flatMap(({ from, to }) =>
    Array.from({ length: Math.max(0, Math.min(to, state.doc.lines) - from + 1) }, (_, index) => from + index),
  );
  const ranges = [...new Set(lines)].map((line): Range<Decoration> =>
    Decoration.line({ class: "cm-tinted" }).range(state.doc.line(line).from),
  );
  return Decoration.set(ranges, true);
}
